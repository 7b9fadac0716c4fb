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
  /** Left out on narrow screens. */
  readonly wide?: boolean;
}

/** A kind of record that is chosen by searching for it. */
// biome-ignore lint/suspicious/noExplicitAny: every picker has its own records
type Searched = Pick<PickerProps<any>, "label" | "path" | "value" | "text">;

/** A filter of the list: a query parameter of the API, with a few values or with a record as its value. */
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

/** Something that can be done with one record, from its page. */
export interface Action<T> {
  readonly title: string;
  readonly danger?: boolean;
  readonly permission?: readonly string[];
  readonly when?: (item: T, session: RealmSession) => boolean;
  /** A question before it is done; what cannot be undone asks for `typed` to be typed. */
  confirm?(item: T, t: Translate): { readonly text: string; readonly typed?: string };
  run(session: RealmSession, item: T, path: string): Promise<string | undefined>;
}

/** Something that can be done with several rows at once. */
export interface BulkAction<T> {
  readonly title: string;
  readonly danger?: boolean;
  readonly permission?: readonly string[];
  /** The first choice, such as a role to give. */
  readonly pick?: Searched;
  run(session: RealmSession, items: readonly T[], picked: string | null): Promise<BulkOutcome>;
}

export interface BulkOutcome {
  readonly done: number;
  /** The refused rows, each with the reason. */
  readonly failed: readonly { readonly name: string; readonly message: string }[];
}

export interface FormSpec<T> {
  readonly schema: Schema;
  readonly sections: readonly Section<T>[];
  readonly controls?: Partial<Record<keyof T & string, Control>>;
  readonly labels?: Partial<Record<keyof T & string, string>>;
  /** Each stands above the fields of its member. */
  readonly notes?: Partial<Record<keyof T & string, Note>>;
  readonly hidden?: readonly string[];
  readonly only?: boolean;
  /** Takes away what does not fit a draft any more, once another kind of record is chosen. */
  settled?(next: Draft, before: Draft): Draft;
}

export interface CreateSpec<T, C> extends FormSpec<C> {
  readonly defaults?: Draft;
  /** A value that is shown once after creating, such as a secret. */
  after?(created: T & Record<string, unknown>): ReactNode;
}

/** A kind of record of a realm: its list, its page and its form. An area of the console is one such object, and pages of its own. */
export interface Resource<T, C = T, U = T> {
  readonly title: string;
  readonly singular: string;
  readonly description: string;
  /** The path of the list, below `/admin/realms/{realm}`. */
  readonly path: string;
  readonly docs?: string;
  /** The key in paths. */
  key(item: T): string;
  name(item: T): string;
  readonly columns: readonly Column<T>[];
  /** The API takes `search`; the text says what it finds. */
  readonly search?: string;
  readonly filters?: readonly Filter[];
  readonly permission: { readonly view: readonly string[]; readonly manage: readonly string[] };
  readonly create?: CreateSpec<T, C>;
  /** Instead of the drawer: a page or wizard of its own. */
  readonly CreatePage?: () => ReactNode;
  readonly edit?: FormSpec<U>;
  /** Above the form of a record. */
  readonly Before?: (props: { readonly item: T }) => ReactNode;
  /** The members of the record that PUT takes, if they are not those of the schema. */
  toDraft?(item: T): Draft;
  readonly tabs?: readonly Tab<T>[];
  readonly actions?: readonly Action<T>[];
  readonly bulk?: readonly BulkAction<T>[];
  readonly canDelete?: boolean | ((item: T) => boolean);
  /** True where the API has no GET of one record: the page takes it from the list. */
  readonly listOnly?: boolean;
  /** `resourceType` of its audit events; false: no Activity tab. */
  readonly activity?: string | false;
  /** Above the list. */
  readonly Header?: () => ReactNode;
  /** Instead of the list, unless it is searched or asked for. */
  readonly Tree?: () => ReactNode;
  /** Beside the button that creates. */
  readonly Toolbar?: () => ReactNode;
  readonly empty?: string;
}
