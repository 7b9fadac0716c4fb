import { ApiProblem } from "@gatehouse/api";
import { Group, SegmentedControl, Select, Stack, Text, Title } from "@mantine/core";
import { useDebouncedValue, useElementSize } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { messageOf } from "../app/api.ts";
import { useRealm } from "../app/session.tsx";
import { type Translate, useLanguage, useText } from "../i18n/index.ts";
import { errorAt } from "../kit/field-error.ts";
import { localeName, pageLocales } from "../kit/page-locales.ts";
import type { Draft } from "../kit/schema.ts";

/** Returns why a draft cannot be shown, by the label of the member. */
function reasonOf(error: unknown, t: Translate): string {
  const problem = error instanceof ApiProblem ? error : null;
  const [first] = problem?.problem.errors ?? [];
  return (first && errorAt(problem, first.field, t)) ?? t(messageOf(error));
}

/** The pause after which typing counts as finished. */
const PAUSE = 350;
const SCREENS = { desktop: { width: 1000, height: 680 }, phone: { width: 390, height: 780 } } as const;

/**
 * Shows the sign-in page with the typed values. The server renders it from a draft that it keeps for this session only. The frame runs no scripts and cannot be
 * operated.
 */
export function BrandPreview({ draft, members }: { draft: Draft; members: readonly string[] }) {
  const t = useText();
  const language = useLanguage();
  const { api, realm } = useRealm();
  const { ref, width } = useElementSize();
  const [theme, setTheme] = useState("light");
  const [screen, setScreen] = useState<keyof typeof SCREENS>("desktop");
  const [locale, setLocale] = useState(typeof draft.defaultLocale === "string" ? draft.defaultLocale : "en");
  // An empty text is left out.
  const typed = JSON.stringify(Object.fromEntries(members.map((name) => [name, draft[name]])), (_, value) =>
    value === "" ? undefined : value,
  );
  const [wanted] = useDebouncedValue(typed, PAUSE);
  // Every change of the realm, such as a new image, renders it again.
  const kept = useQuery({
    queryKey: [realm, "draft", wanted],
    queryFn: async ({ signal }) => (await api.send("PUT", "/settings/draft", { body: JSON.parse(wanted), signal })).data,
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  const [version, setVersion] = useState(0);
  useEffect(() => {
    if (kept.dataUpdatedAt > 0 && !kept.isPlaceholderData) setVersion(kept.dataUpdatedAt);
  }, [kept.dataUpdatedAt, kept.isPlaceholderData]);
  // The visible page stays until the next one is loaded.
  const wantedPage = `${version} ${theme} ${locale}`;
  const [seen, setSeen] = useState("");
  const pages = version === 0 ? [] : [...new Set([seen, wantedPage])].filter((page) => page !== "");
  const size = SCREENS[screen];
  const scale = Math.min(1, width / size.width);
  return (
    <Stack gap="xs" ref={ref}>
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4">
          {t("Preview")}
        </Title>
        <Text size="sm" component="a" className="link-button" href={`/realms/${realm}/login`} target="_blank" rel="noreferrer">
          {t("Open the saved sign-in page")}
        </Text>
      </Group>
      <Group gap="xs">
        <SegmentedControl
          size="xs"
          aria-label={t("Colours")}
          data={[
            { value: "light", label: t("Light") },
            { value: "dark", label: t("Dark") },
          ]}
          value={theme}
          onChange={setTheme}
        />
        <SegmentedControl
          size="xs"
          aria-label={t("Screen")}
          data={[
            { value: "desktop", label: t("Desktop") },
            { value: "phone", label: t("Phone") },
          ]}
          value={screen}
          onChange={(next) => setScreen(next as keyof typeof SCREENS)}
        />
        <Select
          size="xs"
          w={150}
          aria-label={t("Language")}
          data={pageLocales.map((tag) => ({ value: tag, label: localeName(tag, language) }))}
          value={locale}
          allowDeselect={false}
          onChange={(next) => next && setLocale(next)}
        />
      </Group>
      {kept.error && (
        <Text size="sm" className="field-error" role="status">
          {t("Not shown yet: {reason}", { reason: reasonOf(kept.error, t) })}
        </Text>
      )}
      <div className="brand-preview" style={{ height: size.height * scale }}>
        {width > 0 &&
          pages.map((page) => {
            const [, scheme, tag] = page.split(" ");
            return (
              <iframe
                key={page}
                inert
                title={t(page === seen ? "Preview of the sign-in page" : "Loading")}
                // Its style sheet needs the session. Without scripts the frame cannot misuse it.
                sandbox="allow-same-origin"
                src={api.url(`/settings/draft/page?theme=${scheme}&locale=${tag}`)}
                style={{
                  ...size,
                  transform: `scale(${scale})`,
                  insetInlineStart: Math.max(0, (width - size.width) / 2),
                  visibility: page === seen ? "visible" : "hidden",
                }}
                onLoad={() => page === wantedPage && setSeen(page)}
              />
            );
          })}
      </div>
    </Stack>
  );
}
