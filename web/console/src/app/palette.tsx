import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { AreaIcon, Icon } from "../kit/icon.tsx";
import { groups, isVisible } from "./areas.ts";
import { store } from "./palette-button.tsx";
import { useRealm } from "./session.tsx";

/** The palette (Ctrl-K): it finds areas of the realm, and users and applications by name or id. */
export function Palette() {
  const t = useText();
  const session = useRealm();
  const { api, realm, may } = session;
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  const [search] = useDebouncedValue(query.trim(), 200);
  const users = useFound<{ userId: string; username: string; email: string | null }>("/users", search, may("view-users"));
  const clients = useFound<{ id: string; clientId: string; name: string | null }>("/clients", search, may("view-clients"));
  const go = (path: string) => () => void navigate({ to: `/realms/${realm}/${path}` as never });
  const actions: SpotlightActionData[] = [
    ...groups
      .flatMap(({ areas }) => Object.entries(areas))
      .filter(([, entry]) => !entry.hidden && isVisible(entry, session))
      .map(([name, entry]) => ({
        id: name,
        label: t(entry.title),
        onClick: go(name),
        leftSection: <AreaIcon name={entry.icon} />,
      })),
    ...users.items.map(({ userId, username, email }) => ({
      id: userId,
      label: username,
      description: email ?? t("User"),
      keywords: [userId, email ?? "", ...users.found],
      onClick: go(`users/${userId}`),
      leftSection: <AreaIcon name="user" />,
    })),
    ...clients.items.map(({ id, clientId, name }) => ({
      id,
      label: name ?? clientId,
      description: clientId,
      keywords: [id, clientId, ...clients.found],
      onClick: go(`clients/${id}`),
      leftSection: <AreaIcon name="app" />,
    })),
  ];
  /** Keeps the last results until those of a longer text are here: the palette itself leaves out the ones that do not have it. */
  function useFound<T>(path: string, text: string, allowed: boolean): { items: readonly T[]; found: readonly string[] } {
    const { data, isPlaceholderData } = useQuery({
      queryKey: [realm, "palette", path, text],
      queryFn: ({ signal }) => api.list<T>(path, { query: { search: text, size: 5 }, signal }),
      enabled: allowed && text.length > 1,
      placeholderData: keepPreviousData,
    });
    return { items: (text.length > 1 && data?.items) || [], found: isPlaceholderData ? [] : [text] };
  }
  return (
    <Spotlight
      store={store}
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      nothingFound={t("Nothing matches")}
      limit={12}
      searchProps={{
        placeholder: t("Search or jump to…"),
        "aria-label": t("Search or jump to…"),
        leftSection: <Icon name="search" size={18} />,
      }}
    />
  );
}
