import type { ReactNode } from "react";
import type { RealmSession } from "../app/session.tsx";
import type { Translate } from "../i18n/index.ts";
import type { PickerProps } from "./picker.tsx";
import type { Draft, Schema } from "./schema.ts";
import type { Control, Note, Section } from "./schema-form.tsx";

export interface Column<T> {
  readonly title: string;
  render(item: T): ReactNode;
  /** The field that the API sorts by. */
  readonly sort?: string;
  /** True if narrow screens leave it out. */
  readonly wide?: boolean;
}

/** The way to search for a record of some kind. */
// biome-ignore lint/suspicious/noExplicitAny: every picker has its own records
type Searched = Pick<PickerProps<any>, "label" | "path" | "value" | "text">;

/** A filter of the list: a query parameter of the API, with a choice of values or with a record as its value. */
export type Filter = { readonly param: string } & (
  | { readonly label: string; readonly options: readonly { readonly label: string; readonly value: string }[] }
  | { readonly pick: Searched }
);

export interface TabProps<T> {
  readonly item: T;
  /** The path of the record, below the realm. */
  readonly path: string;
  readonly session: RealmSession;
  reload(): Promise<unknown>;
}

export interface Tab<T> {
  readonly id: string;
  readonly title: string;
  readonly permission?: readonly string[];
  readonly when?: (item: T) => boolean;
  readonly Component: (props: TabProps<T>) => ReactNode;
}

/** An action on one record, on its page. */
export interface Action<T> {
  readonly title: string;
  readonly danger?: boolean;
  readonly permission?: readonly string[];
  readonly when?: (item: T, session: RealmSession) => boolean;
  /** The question before the action. For actions that cannot be undone, the user has to type `typed`. */
  confirm?(item: T, t: Translate): { readonly text: string; readonly typed?: string };
  run(session: RealmSession, item: T, path: string): Promise<string | undefined>;
}

/** An action on several rows at once. */
export interface BulkAction<T> {
  readonly title: string;
  readonly danger?: boolean;
  readonly permission?: readonly string[];
  /** A choice that comes first, such as the role to give. */
  readonly pick?: Searched;
  run(session: RealmSession, items: readonly T[], picked: string | null): Promise<BulkOutcome>;
}

export interface BulkOutcome {
  readonly done: number;
  /** The rows that were refused, each with the reason. */
  readonly failed: readonly { readonly name: string; readonly message: string }[];
}

export interface FormSpec<T> {
  readonly schema: Schema;
  readonly sections: readonly Section<T>[];
  readonly controls?: Partial<Record<keyof T & string, Control>>;
  readonly labels?: Partial<Record<keyof T & string, string>>;
  /** Notes, each above the field of its member. */
  readonly notes?: Partial<Record<keyof T & string, Note>>;
  readonly hidden?: readonly string[];
  readonly only?: boolean;
  /** Removes values that no longer fit a draft once another kind of record is chosen. */
  settled?(next: Draft, before: Draft): Draft;
}

export interface CreateSpec<T, C> extends FormSpec<C> {
  readonly defaults?: Draft;
  /** Returns a value that is shown once after creating, such as a secret. */
  after?(created: T & Record<string, unknown>): ReactNode;
}

/** A kind of record of a realm: its list, its page and its form. An area of the console is such an object, or a page of its own. */
export interface Resource<T, C = T, U = T> {
  readonly title: string;
  readonly singular: string;
  readonly description: string;
  /** The path of the list, below `/admin/realms/{realm}`. */
  readonly path: string;
  readonly docs?: string;
  /** Returns the key of the record in paths. */
  key(item: T): string;
  name(item: T): string;
  readonly columns: readonly Column<T>[];
  /** The text that says what a search finds. It is set if the API takes `search`. */
  readonly search?: string;
  readonly filters?: readonly Filter[];
  readonly permission: { readonly view: readonly string[]; readonly manage: readonly string[] };
  readonly create?: CreateSpec<T, C>;
  /** A page or wizard that replaces the drawer. */
  readonly CreatePage?: () => ReactNode;
  readonly edit?: FormSpec<U>;
  /** Content above the form of a record. */
  readonly Before?: (props: { readonly item: T }) => ReactNode;
  readonly tabs?: readonly Tab<T>[];
  readonly actions?: readonly Action<T>[];
  readonly bulk?: readonly BulkAction<T>[];
  readonly canDelete?: boolean | ((item: T) => boolean);
  /** True if the API has no GET of one record: the page takes it from the list. */
  readonly listOnly?: boolean;
  /** The `resourceType` of its audit events. False for no Activity tab. */
  readonly activity?: string | false;
  /** Content above the list. */
  readonly Header?: () => ReactNode;
  /** A view that replaces the list, unless the user searches or asks for the list. */
  readonly Tree?: () => ReactNode;
  /** Content beside the button that creates. */
  readonly Toolbar?: () => ReactNode;
  readonly empty?: string;
}
