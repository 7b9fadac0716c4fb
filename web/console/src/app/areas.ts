import type { ComponentType } from "react";
import type { Resource } from "../kit/resource.ts";

/** A page of the console that is not a list of records. */
export type AreaPage = ComponentType<Record<string, never>>;

/** An area is a resource (a list with record pages) or a page. */
// biome-ignore lint/suspicious/noExplicitAny: every area has its own records
export type Area = { readonly resource: Resource<any, any, any> } | { readonly Page: AreaPage };

export interface Entry {
  readonly title: string;
  readonly icon: string;
  /** One of these permissions shows the entry; none: everybody who may open the console. */
  readonly permission: readonly string[];
  load(): Promise<Area>;
  /** Not in the navigation: reached from another page. */
  readonly hidden?: boolean;
  /** In development mode alone. */
  readonly development?: boolean;
}

export interface Group {
  readonly title: string | null;
  readonly areas: Readonly<Record<string, Entry>>;
}

/** Every area of a realm, in the order of the navigation. To add one: a file in `areas/` and a line here. */
export const groups: readonly Group[] = [
  {
    title: null,
    areas: {
      overview: {
        title: "Overview",
        icon: "home",
        permission: [],
        load: async () => ({ Page: (await import("../areas/overview.tsx")).Overview }),
      },
    },
  },
  {
    title: "Directory",
    areas: {
      users: {
        title: "Users",
        icon: "users",
        permission: ["view-users", "manage-users"],
        load: async () => ({ resource: (await import("../areas/users.tsx")).users }),
      },
    },
  },
];

export const entries: Readonly<Record<string, Entry>> = Object.assign({}, ...groups.map(({ areas }) => areas));
