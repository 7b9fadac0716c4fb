import { nameOf } from "../../kernel/text.ts";
import { type Assertion, DATA_ENCRYPTION, NAME_ID_FORMAT, type NameId, type RequestedAuthnContext } from "../../platform/saml/index.ts";
import { addressOf, idOf, lineOf } from "../brokers/storable.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { SamlProfile } from "./profile.ts";

/** Other names that providers send instead of the default names: those of LDAP, of the OID registry, and of Microsoft. */
const WS = "http://schemas.xmlsoap.org/ws/2005/05/identity/claims";
const ALSO: Readonly<Record<string, readonly string[]>> = {
  email: ["mail", "urn:oid:0.9.2342.19200300.100.1.3", `${WS}/emailaddress`],
  firstName: ["givenName", "urn:oid:2.5.4.42", `${WS}/givenname`],
  lastName: ["sn", "surname", "urn:oid:2.5.4.4", `${WS}/surname`],
  username: ["uid", "eduPersonPrincipalName", "urn:oid:1.3.6.1.4.1.5923.1.1.1.6", "urn:oid:0.9.2342.19200300.100.1.1", `${WS}/name`],
};

const GCM = [DATA_ENCRYPTION.aes256gcm, DATA_ENCRYPTION.aes192gcm, DATA_ENCRYPTION.aes128gcm] as const;
const CBC = [DATA_ENCRYPTION.aes256cbc, DATA_ENCRYPTION.aes192cbc, DATA_ENCRYPTION.aes128cbc] as const;

/** Plain SAML 2.0, with the rules from the provider's configuration. */
export const plain: SamlProfile = {
  rules: ({ config }) => ({
    signedResponse: config.wantResponseSigned === true,
    signedAssertion: config.wantAssertionsSigned === true,
    encryptedAssertion: config.wantAssertionsEncrypted === true,
    ciphers: config.allowCbc === true ? [...GCM, ...CBC] : GCM,
  }),

  request({ config }, { fresh }) {
    const format = config.nameIdFormat as "persistent" | "transient" | "email" | "unspecified" | "none";
    const classRefs = config.authnContexts as readonly string[];
    const comparison = config.authnContextComparison as RequestedAuthnContext["comparison"];
    return {
      ...((fresh || config.forceAuthn === true) && { forceAuthn: true }),
      ...(format !== "none" && { nameIdPolicy: { format: NAME_ID_FORMAT[format], spNameQualifier: null, allowCreate: true } }),
      ...(classRefs.length > 0 && { requestedAuthnContext: { comparison, classRefs, declRefs: [] } }),
    };
  },

  identity(provider, { assertion }) {
    const { config } = provider;
    const claims = claimsOf(assertion);
    const nameId = assertion.subject?.nameId ?? null;
    const named = (member: string) => firstOf(claims, String(config[member]), nameOf);
    const email = addressOf(
      firstOf(claims, String(config.emailAttribute)) ?? (nameId?.format === NAME_ID_FORMAT.email ? nameId.value : null),
    );
    const acr = assertion.authnStatements[0]?.classRef ?? null;
    const wanted = config.authnContexts as readonly string[];
    if (config.authnContextComparison === "exact" && wanted.length > 0 && (acr === null || !wanted.includes(acr)))
      throw new UpstreamError("authn_context", "The provider authenticated in another way than was asked for.");
    const isName = nameId !== null && (nameId.format === null || nameId.format === NAME_ID_FORMAT.unspecified);
    return {
      subject: subjectOf(provider, claims, nameId, assertion.issuer),
      username: firstOf(claims, "username") ?? (isName ? lineOf(nameId.value) : null) ?? email,
      email,
      // SAML has no `email_verified`: `trustEmail` alone decides whether an address counts as verified.
      emailVerified: email !== null,
      firstName: named("firstNameAttribute"),
      lastName: named("lastNameAttribute"),
      claims,
      ...{ acr, amr: [] },
    };
  },
};

type Claims = Readonly<Record<string, string | readonly string[]>>;

/** Returns attributes by name, and by friendly name unless that is another attribute's name. One value becomes a text, several a list. */
function claimsOf({ attributes }: Assertion): Claims {
  const claims: Record<string, string | string[]> = {};
  const add = (name: string, values: readonly string[]) => {
    const all = [claims[name] ?? [], values].flat();
    claims[name] = all.length === 1 ? all[0]! : all;
  };
  const texts = attributes.map((attribute) => ({ ...attribute, values: attribute.values.flatMap(textIn) }));
  for (const { name, values } of texts) if (name !== "__proto__") add(name, values);
  const names = new Set(texts.map(({ name }) => name));
  for (const { friendlyName, values } of texts)
    if (friendlyName !== null && friendlyName !== "__proto__" && !names.has(friendlyName)) add(friendlyName, values);
  return claims;
}

const textIn = (value: Assertion["attributes"][number]["values"][number]): string[] =>
  value === null ? [] : [typeof value === "string" ? value : value.value];

function firstOf(claims: Claims, name: string, read: (value: string) => string | null = lineOf): string | null {
  for (const each of [name, ...(Object.hasOwn(ALSO, name) ? ALSO[name]! : [])]) {
    if (!Object.hasOwn(claims, each)) continue;
    const found = [claims[each]!]
      .flat()
      .map((value) => read(value))
      .find((value) => value !== null);
    if (found) return found;
  }
  return null;
}

/**
 * Returns the subject of the link: the single value of the configured attribute, or the NameID. A transient NameID differs each time (SAML core §8.3.8), so it
 * is refused. An unusual qualifier is a part of the subject (§8.3.7).
 */
function subjectOf(provider: ProviderSnapshot, claims: Claims, nameId: NameId | null, issuer: string): string {
  const refuse = (message: string) => new UpstreamError("subject", message);
  const { subjectAttribute } = provider.config;
  if (typeof subjectAttribute === "string") {
    const values = Object.hasOwn(claims, subjectAttribute) ? [claims[subjectAttribute]!].flat() : [];
    const subject = values.length === 1 ? idOf(values[0]!) : null;
    if (subject === null) throw refuse(`The assertion does not have the attribute ${subjectAttribute} with exactly one value.`);
    return subject;
  }
  if (!nameId) throw refuse("The assertion has no NameID.");
  if (nameId.format === NAME_ID_FORMAT.transient) throw refuse("The NameID is transient: set subjectAttribute, or another nameIdFormat.");
  const subject = subjectByName(nameId, issuer);
  if (subject === null) throw refuse("The NameID cannot be stored.");
  return subject;
}

/** Returns null if the subject cannot be stored. */
export function subjectByName({ value, nameQualifier }: NameId, issuer: string): string | null {
  const qualifier = nameQualifier === null || nameQualifier === issuer ? "" : `${nameQualifier}!`;
  return idOf(`${qualifier}${value}`);
}
