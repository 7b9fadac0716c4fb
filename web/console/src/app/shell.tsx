import {
  ActionIcon,
  Anchor,
  AppShell,
  Avatar,
  Breadcrumbs,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, Suspense, useEffect } from "react";
import { choose, type Language, languages, useLanguage, useText } from "../i18n/index.ts";
import { AreaIcon, Icon } from "../kit/icon.tsx";
import { entries, groups, isVisible } from "./areas.ts";
import { ServerHealth } from "./health.tsx";
import { later } from "./later.ts";
import { PaletteButton } from "./palette-button.tsx";
import { RealmSwitcher } from "./realm-switcher.tsx";
import { recordName } from "./record-name.ts";
import { useRealm } from "./session.tsx";

const Palette = later(async () => (await import("./palette.tsx")).Palette);

/** The frame of every page of a realm: navigation, breadcrumbs, palette, colour scheme, account. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useText();
  const [opened, { toggle, close }] = useDisclosure();
  const session = useRealm();
  const { realm, me } = session;
  const { area, id } = useParams({ strict: false }) as { area?: string; id?: string };
  const entry = area ? entries[area] : undefined;
  const record = recordName.use();
  useEffect(() => {
    document.title = [id && record, entry && t(entry.title), realm, "Gatehouse"].filter(Boolean).join(" · ");
  }, [entry, id, record, realm, t]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each area has its entry
  useEffect(() => {
    document.querySelector(".nav-entry[aria-current=page]")?.scrollIntoView({ block: "nearest" });
  }, [area]);
  return (
    <AppShell
      layout="alt"
      header={{ height: 56 }}
      navbar={{ width: 248, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "md", sm: "lg" }}
    >
      <a className="skip-link" href="#main">
        {t("Skip to the content")}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap" gap="sm" className="place">
            <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t("Navigation")} aria-expanded={opened} />
            <Breadcrumbs className="breadcrumbs">
              <Anchor component={Link} to={`/realms/${realm}/overview` as never} c="dimmed" size="sm">
                {realm}
              </Anchor>
              {entry && area && (
                <Anchor
                  component={Link}
                  to={`/realms/${realm}/${area}` as never}
                  c={id ? "dimmed" : "inherit"}
                  size="sm"
                  {...(!id && { fw: 600 })}
                >
                  {t(entry.title)}
                </Anchor>
              )}
              {id && record && (
                <Text size="sm" fw={600} truncate className="crumb">
                  {record}
                </Text>
              )}
            </Breadcrumbs>
          </Group>
          <Group wrap="nowrap" gap="xs">
            <PaletteButton />
            <ColorScheme />
            <AccountMenu name={me.username} realm={me.realmId} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" className={opened ? "" : "navbar-closed"}>
        <Group wrap="nowrap" gap="xs">
          <Burger opened onClick={close} hiddenFrom="sm" size="sm" aria-label={t("Close the navigation")} />
          <div className="realm-place">
            <RealmSwitcher />
          </div>
        </Group>
        <AppShell.Section grow component={ScrollArea} mt="xs">
          <nav aria-label={t("Areas")}>
            {groups.map(({ title, areas }) => {
              const visible = Object.entries(areas).filter(([, one]) => !one.hidden && isVisible(one, session));
              if (visible.length === 0) return null;
              return (
                <div key={title ?? "top"}>
                  {title && (
                    <Text size="xs" fw={600} tt="uppercase" c="dimmed" px="sm" pt="sm" pb={2}>
                      {t(title)}
                    </Text>
                  )}
                  {visible.map(([name, one]) => (
                    <NavLink
                      key={name}
                      component={Link}
                      to={`/realms/${realm}/${name}` as never}
                      label={t(one.title)}
                      leftSection={<AreaIcon name={one.icon} />}
                      active={area === name}
                      aria-current={area === name ? "page" : undefined}
                      onClick={close}
                      className="nav-entry"
                    />
                  ))}
                </div>
              );
            })}
          </nav>
        </AppShell.Section>
        <AppShell.Section className="nav-foot">
          <NavLink
            component="a"
            href="/interactive-docs.html"
            label={t("API reference")}
            className="nav-entry"
            leftSection={<Icon name="book" size={18} />}
            rightSection={<Text size="xs">v{me.version}</Text>}
          />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <ServerHealth realm={realm} />
        {children}
      </AppShell.Main>
      <Suspense fallback={null}>
        <Palette />
      </Suspense>
    </AppShell>
  );
}

function ColorScheme() {
  const t = useText();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme("light") === "dark";
  const label = dark ? t("Use light colours") : t("Use dark colours");
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="lg" aria-label={label} onClick={() => setColorScheme(dark ? "light" : "dark")}>
        {dark ? <Icon name="sun" size={18} /> : <Icon name="moon" size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

function AccountMenu({ name, realm }: { name: string; realm: string }) {
  const t = useText();
  const language = useLanguage();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="transparent" size="lg" aria-label={t("Your account")}>
          <Avatar size={32} color="brand" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {name} ({realm})
        </Menu.Label>
        <Menu.Item component="a" href={`/realms/${realm}/account/`}>
          {t("Your account")}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t("Language")}</Menu.Label>
        {(Object.keys(languages) as Language[]).map((one) => (
          <Menu.Item key={one} onClick={() => void choose(one, true)} {...(one === language && { fw: 700, "aria-current": true })}>
            {languages[one]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item component="a" href={`/realms/${realm}/logout`} leftSection={<Icon name="sign-out" />}>
          {t("Sign out")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
