import {
  IconActivity,
  IconAppWindow,
  IconBuilding,
  IconDatabaseImport,
  IconDeviceLaptop,
  IconHome,
  IconKey,
  IconListDetails,
  IconLock,
  IconMail,
  IconPalette,
  IconPlayerPlay,
  IconPlugConnected,
  IconRobot,
  IconRoute,
  IconSettings,
  IconShieldCheck,
  IconShieldLock,
  IconTransfer,
  IconUser,
  IconUserShield,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from "@tabler/icons-react";

/** Icons by the names that areas use, so that the table of areas stays data. */
export const icons = {
  activity: IconActivity,
  app: IconAppWindow,
  building: IconBuilding,
  import: IconDatabaseImport,
  laptop: IconDeviceLaptop,
  home: IconHome,
  key: IconKey,
  list: IconListDetails,
  lock: IconLock,
  mail: IconMail,
  palette: IconPalette,
  play: IconPlayerPlay,
  plug: IconPlugConnected,
  robot: IconRobot,
  route: IconRoute,
  settings: IconSettings,
  "shield-check": IconShieldCheck,
  "shield-lock": IconShieldLock,
  transfer: IconTransfer,
  user: IconUser,
  "user-shield": IconUserShield,
  users: IconUsers,
  groups: IconUsersGroup,
  webhook: IconWebhook,
} as const;

export function AreaIcon({ name }: { name: string }) {
  const Icon = icons[name as keyof typeof icons] ?? IconListDetails;
  return <Icon size={18} stroke={1.6} aria-hidden />;
}
