import type { SubjectUser } from "../../../applications/claims/index.ts";
import type { NameIdKind, SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { sha256 } from "../../../kernel/vault.ts";
import { isXmlText, NAME_ID_FORMAT, type NameId, newMessageId } from "../../../platform/saml/index.ts";
import type { PendingRequest } from "./requests.ts";

/** The NameID of an assertion; `isNew` where the service provider is to know the user by it from now on. */
export interface ChosenNameId {
  readonly nameId: NameId;
  readonly isNew: boolean;
}

const KINDS: ReadonlyMap<string | null, NameIdKind> = new Map([
  [NAME_ID_FORMAT.persistent, "persistent"],
  [NAME_ID_FORMAT.transient, "transient"],
  [NAME_ID_FORMAT.email, "email"],
]);

export const NAME_ID_FORMATS: readonly string[] = [
  NAME_ID_FORMAT.persistent,
  NAME_ID_FORMAT.transient,
  NAME_ID_FORMAT.email,
  NAME_ID_FORMAT.unspecified,
];

/** SAML core §3.4.1.1: what the request asks for, else what is configured. Null: a format that there is not, or an affiliation. */
export function nameIdKind({ entityId, options }: SamlClientSnapshot, policy: PendingRequest["nameIdPolicy"]): NameIdKind | null {
  if (policy?.spNameQualifier && policy.spNameQualifier !== entityId) return null;
  const format = policy?.format ?? NAME_ID_FORMAT.unspecified;
  return format === NAME_ID_FORMAT.unspecified ? options.nameIdFormat : (KINDS.get(format) ?? null);
}

export interface NameIdFacts {
  readonly client: SamlClientSnapshot;
  /** Our entityID. */
  readonly issuer: string;
  /** With an address that is theirs (`withOwnAddress`), or none. */
  readonly user: SubjectUser;
  readonly sessionId: string;
  /** The persistent one that the service provider knows. */
  readonly known: string | null;
  readonly policy: PendingRequest["nameIdPolicy"];
}

/**
 * SAML core §8.3.8: it means nothing beyond the session. Within it the service provider gets the same one again, so that a LogoutRequest can
 * name the user by any of the assertions.
 */
const transientOf = ({ sessionId, client }: NameIdFacts): string =>
  `_${sha256(`transient\n${sessionId}\n${client.entityId}`).slice(0, 40)}`;

/** Null, with the reason: the user has none of this kind. */
export function chooseNameId(kind: NameIdKind, facts: NameIdFacts): ChosenNameId | { readonly nameId: null; readonly why: string } {
  const { client, issuer, user, known, policy } = facts;
  const qualified = (value: string, format: string): NameId => ({
    ...{ value, format, nameQualifier: issuer, spNameQualifier: client.entityId, spProvidedId: null },
  });
  const plain = (value: string, format: string): NameId => ({
    ...{ value, format, nameQualifier: null, spNameQualifier: null, spProvidedId: null },
  });
  switch (kind) {
    case "transient":
      return { nameId: qualified(transientOf(facts), NAME_ID_FORMAT.transient), isNew: false };
    case "persistent": {
      const { persistentNameIdSource: source } = client.options;
      if (source !== null) {
        const value = attributeOf(user, source);
        if (value === null) return { nameId: null, why: `the user has no attribute ${source}` };
        return { nameId: plain(value, NAME_ID_FORMAT.persistent), isNew: false };
      }
      if (known === null && policy?.allowCreate === false) return { nameId: null, why: "no NameID exists, and none may be created" };
      return { nameId: qualified(known ?? newMessageId(), NAME_ID_FORMAT.persistent), isNew: known === null };
    }
    case "email":
      if (user.email === null) return { nameId: null, why: "the user has no confirmed email address" };
      return { nameId: plain(user.email, NAME_ID_FORMAT.email), isNew: false };
    case "unspecified": {
      const value = sourceOf(client, user);
      if (value === null) return { nameId: null, why: `the user has no attribute ${client.options.nameIdSource}` };
      return { nameId: plain(value, NAME_ID_FORMAT.unspecified), isNew: false };
    }
  }
}

function sourceOf({ options: { nameIdSource } }: SamlClientSnapshot, { username, attributes }: SubjectUser): string | null {
  return nameIdSource === null ? username : attributeOf({ attributes }, nameIdSource);
}

function attributeOf({ attributes }: Pick<SubjectUser, "attributes">, name: string): string | null {
  const value = Object.hasOwn(attributes, name) ? attributes[name]! : "";
  const text = (typeof value === "string" ? value : value[0]) || null;
  return text !== null && isXmlText(text) ? text : null;
}

/** SAML core §3.4.1.4: whether the user is the one whom the request is about. */
export function isSubject(wanted: NameId, facts: NameIdFacts): boolean {
  const { user, known, client } = facts;
  switch (KINDS.get(wanted.format)) {
    case "persistent":
      if (client.options.persistentNameIdSource !== null) return wanted.value === attributeOf(user, client.options.persistentNameIdSource);
      return known !== null && wanted.value === known;
    case "email":
      return user.email !== null && wanted.value.toLowerCase() === user.email.toLowerCase();
    case "transient":
      return wanted.value === transientOf(facts);
    default:
      return wanted.value === sourceOf(client, user);
  }
}
