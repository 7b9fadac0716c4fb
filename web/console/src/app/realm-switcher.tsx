import type { components } from "@gatehouse/api";
import { Avatar, Combobox, Group, Loader, Text, UnstyledButton, useCombobox } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";
import { serverApi } from "./api.ts";
import { useRealm } from "./session.tsx";

type Realm = components["schemas"]["Realm"];

/** Switches the realm. The server searches, because there may be ten thousand realms. */
export function RealmSwitcher() {
  const t = useText();
  const { realm, me, may } = useRealm();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const [search] = useDebouncedValue(typed, 200);
  const combobox = useCombobox({ onDropdownClose: () => setTyped("") });
  // Only administrators of master reach other realms.
  const canSwitch = me.realmId === "master" && may("realm-admin");
  const realms = useQuery({
    queryKey: ["realms", search],
    queryFn: ({ signal }) => serverApi.list<Realm>("/admin/realms", { query: { search, size: 20 }, signal }),
    enabled: canSwitch && combobox.dropdownOpened,
  });
  const label = (
    <Group wrap="nowrap" gap="sm">
      <Avatar name={me.displayName ?? realm} color="brand" radius="sm" size={34} />
      <div className="realm-name">
        <Text size="sm" fw={600} truncate>
          {me.displayName ?? realm}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {realm}
        </Text>
      </div>
      {canSwitch && (
        <>
          <span className="visually-hidden">{t("Switch realm")}</span>
          <Icon name="selector" />
        </>
      )}
    </Group>
  );
  if (!canSwitch) return <div className="realm-switcher">{label}</div>;
  return (
    <Combobox
      store={combobox}
      withinPortal
      onOptionSubmit={(name) => {
        combobox.closeDropdown();
        void navigate({ to: (name === "" ? "/realms" : `/realms/${name}/overview`) as never });
      }}
    >
      <Combobox.Target targetType="button">
        <UnstyledButton className="realm-switcher" onClick={() => combobox.toggleDropdown()}>
          {label}
        </UnstyledButton>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          placeholder={t("Search realms")}
          aria-label={t("Search realms")}
        />
        <Combobox.Options>
          {realms.isPending && <Loader size="xs" m="sm" />}
          {realms.data?.items.map(({ realmId, displayName }) => (
            <Combobox.Option key={realmId} value={realmId} active={realmId === realm}>
              {displayName ?? realmId}{" "}
              <Text span size="xs" c="dimmed">
                {realmId}
              </Text>
            </Combobox.Option>
          ))}
          {realms.data?.items.length === 0 && <Combobox.Empty>{t("Nothing matches")}</Combobox.Empty>}
          <Combobox.Option value="">{t("All realms")}</Combobox.Option>
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
