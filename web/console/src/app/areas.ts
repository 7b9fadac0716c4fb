import type { ComponentType } from "react";
import { Overview } from "../areas/overview.tsx";
import type { IconName } from "../kit/icon.tsx";
import type { Resource } from "../kit/resource.ts";
import type { RealmSession } from "./session.tsx";

/** A page of the console that is not a list of records. */
type AreaPage = ComponentType<Record<string, never>>;

/** An area: a resource (a list with record pages) or a page. */
// biome-ignore lint/suspicious/noExplicitAny: every area has its own records
type Area = { readonly resource: Resource<any, any, any> } | { readonly Page: AreaPage };

export interface Entry {
  readonly title: string;
  readonly icon: IconName;
  /** The permissions of which one shows the entry, because the API then answers its list. Without any, everybody who may open the console sees it. */
  readonly permission: readonly string[];
  load(): Promise<Area>;
  /** True if it is not in the navigation, because another page links to it. */
  readonly hidden?: boolean;
  /** True if it is shown in development mode only. */
  readonly development?: boolean;
}

/** Tells whether the caller's permissions show an area. */
export const isVisible = ({ permission, development }: Entry, { may, me }: RealmSession) =>
  (permission.length === 0 || may(...permission)) && (!development || me.developmentMode);

export interface Group {
  readonly title: string | null;
  readonly areas: Readonly<Record<string, Entry>>;
}

/** Every area of a realm, in the order of the navigation. A new one needs a file in `areas/` and a line here. */
export const groups: readonly Group[] = [
  {
    title: null,
    areas: {
      overview: {
        title: "Overview",
        icon: "home",
        permission: [],
        // Everybody sees this screen first, so it is part of the shell.
        load: async () => ({ Page: Overview }),
      },
      "try-it": {
        title: "Try it",
        icon: "play",
        permission: ["manage-clients"],
        development: true,
        load: async () => ({ Page: (await import("../areas/try-it.tsx")).TryIt }),
      },
    },
  },
  {
    title: "Directory",
    areas: {
      users: {
        title: "Users",
        icon: "users",
        permission: ["view-users"],
        load: async () => ({ resource: (await import("../areas/users.tsx")).users }),
      },
      "import-users": {
        title: "Import users",
        icon: "import",
        permission: ["manage-users"],
        hidden: true,
        load: async () => ({ Page: (await import("../areas/import-users.tsx")).ImportUsers }),
      },
      groups: {
        title: "Groups",
        icon: "groups",
        permission: ["view-users"],
        load: async () => ({ resource: (await import("../areas/groups.tsx")).groups }),
      },
      organizations: {
        title: "Organizations",
        icon: "building",
        permission: ["view-users"],
        load: async () => ({ resource: (await import("../areas/organizations.tsx")).organizations }),
      },
      roles: {
        title: "Roles",
        icon: "user-shield",
        permission: ["view-users"],
        load: async () => ({ resource: (await import("../areas/roles.tsx")).roles }),
      },
      sessions: {
        title: "Sessions",
        icon: "laptop",
        permission: ["view-events"],
        load: async () => ({ resource: (await import("../areas/sessions.tsx")).sessions }),
      },
    },
  },
  {
    title: "Applications",
    areas: {
      clients: {
        title: "Applications",
        icon: "app",
        permission: ["view-clients"],
        load: async () => ({ resource: (await import("../areas/clients.tsx")).clients }),
      },
      "saml-clients": {
        title: "SAML applications",
        icon: "transfer",
        permission: ["view-clients"],
        load: async () => ({ resource: (await import("../areas/saml-clients.tsx")).samlClients }),
      },
      agents: {
        title: "Agents",
        icon: "robot",
        permission: ["view-clients"],
        load: async () => ({ resource: (await import("../areas/agents.tsx")).agents }),
      },
      workloads: {
        title: "Workload identity",
        icon: "shield-lock",
        permission: ["view-clients"],
        load: async () => ({ resource: (await import("../areas/workloads.tsx")).workloads }),
      },
      scopes: {
        title: "Scopes",
        icon: "list",
        permission: ["manage-authorization", "view-clients"],
        load: async () => ({ resource: (await import("../areas/scopes.tsx")).scopes }),
      },
      claims: {
        title: "Claims",
        icon: "shield-check",
        permission: ["manage-authorization", "view-clients"],
        load: async () => ({ resource: (await import("../areas/claims.tsx")).claims }),
      },
    },
  },
  {
    title: "Sign-in",
    areas: {
      flows: {
        title: "Flows",
        icon: "route",
        permission: ["manage-authorization"],
        load: async () => ({ resource: (await import("../areas/flows.tsx")).flows }),
      },
      "identity-providers": {
        title: "Identity providers",
        icon: "plug",
        permission: ["manage-identity-providers"],
        load: async () => ({ resource: (await import("../areas/identity-providers.tsx")).identityProviders }),
      },
      passwords: {
        title: "Passwords & MFA",
        icon: "lock",
        permission: ["manage-realm"],
        load: async () => ({ Page: (await import("../areas/settings.tsx")).PasswordsAndMfa }),
      },
      "user-profile": {
        title: "User profile",
        icon: "users",
        permission: ["manage-realm"],
        load: async () => ({ Page: (await import("../areas/user-profile.tsx")).UserProfile }),
      },
      branding: {
        title: "Branding",
        icon: "palette",
        permission: ["manage-realm"],
        load: async () => ({ Page: (await import("../areas/branding.tsx")).Branding }),
      },
      texts: {
        title: "Texts",
        icon: "language",
        permission: ["manage-realm"],
        load: async () => ({ Page: (await import("../areas/texts.tsx")).Texts }),
      },
      messages: {
        title: "Messages",
        icon: "mail",
        permission: ["manage-realm"],
        load: async () => ({ Page: (await import("../areas/messages.tsx")).Messages }),
      },
    },
  },
  {
    title: "Operate",
    areas: {
      events: {
        title: "Audit log",
        icon: "activity",
        permission: ["view-events"],
        load: async () => ({ Page: (await import("../areas/events.tsx")).AuditLog }),
      },
      webhooks: {
        title: "Webhooks",
        icon: "webhook",
        permission: ["manage-realm"],
        load: async () => ({ resource: (await import("../areas/webhooks.tsx")).webhooks }),
      },
      keys: {
        title: "Signing keys",
        icon: "key",
        permission: ["manage-realm"],
        load: async () => ({ resource: (await import("../areas/keys.tsx")).keys }),
      },
      provisioning: {
        title: "Provisioning",
        icon: "import",
        permission: ["manage-realm"],
        load: async () => ({ Page: (await import("../areas/provisioning.tsx")).Provisioning }),
      },
      "scim-targets": {
        title: "SCIM targets",
        icon: "plug",
        permission: ["manage-realm"],
        load: async () => ({ resource: (await import("../areas/scim-targets.tsx")).scimTargets }),
      },
      transfer: {
        title: "Export & import",
        icon: "transfer",
        permission: ["manage-realm"],
        load: async () => ({ Page: (await import("../areas/transfer.tsx")).Transfer }),
      },
      settings: {
        title: "Realm settings",
        icon: "settings",
        permission: ["manage-realm"],
        load: async () => ({ Page: (await import("../areas/settings.tsx")).RealmSettings }),
      },
    },
  },
];

export const entries: Readonly<Record<string, Entry>> = Object.assign({}, ...groups.map(({ areas }) => areas));
