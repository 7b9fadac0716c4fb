import type { SubjectUser } from "../../../applications/claims/index.ts";
import type { NameIdKind, SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { sha256 } from "../../../kernel/vault.ts";
import { isXmlText, NAME_ID_FORMAT, type NameId, newMessageId } from "../../../platform/saml/index.ts";
import type { PendingRequest } from "./requests.ts";

/** The NameID of an assertion. `isNew` is true if it has to be stored, because the service provider will know the user by it. */
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

/** SAML core §3.4.1.1: returns the requested kind, else the configured one. Returns null for an unknown format or an affiliation. */
export function nameIdKind({ entityId, options }: SamlClientSnapshot, policy: PendingRequest["nameIdPolicy"]): NameIdKind | null {
  if (policy?.spNameQualifier && policy.spNameQualifier !== entityId) return null;
  const format = policy?.format ?? NAME_ID_FORMAT.unspecified;
  return format === NAME_ID_FORMAT.unspecified ? options.nameIdFormat : (KINDS.get(format) ?? null);
}

export interface NameIdFacts {
  readonly client: SamlClientSnapshot;
  /** Our entityID. */
  readonly issuer: string;
  /** The user, whose address is verified as theirs (`withOwnAddress`) or absent. */
  readonly user: SubjectUser;
  readonly sessionId: string;
  /** The persistent NameID by which the service provider knows the user. */
  readonly known: string | null;
  readonly policy: PendingRequest["nameIdPolicy"];
}

/**
 * SAML core §8.3.8: makes a transient NameID, which has no meaning beyond the session. In a session the service provider always gets the
 * same one, so that a LogoutRequest can name the user by any of the assertions.
 */
const transientOf = ({ sessionId, client }: NameIdFacts): string =>
  `_${sha256(`transient\n${sessionId}\n${client.entityId}`).slice(0, 40)}`;

/** Chooses the NameID. Returns null and the reason if the user has none of this kind. */
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

/** SAML core §3.4.1.4: tells whether the user is the subject of the request. */
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
