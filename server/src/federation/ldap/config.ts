import { X509Certificate } from "node:crypto";
import Type from "typebox";
import { lineText, oneOf } from "../../platform/http/index.ts";
import { FilterSyntaxError, isAttributeName, parseDn, parseLdapUrl, parseTemplate } from "../../platform/ldap/index.ts";
import { type Outbound, OutboundError } from "../../platform/outbound/index.ts";
import { fault, secretSet, secretText } from "../providers/members.ts";
import type { DirectoryTraits, IdentityProviderProtocol } from "../providers/protocol.ts";
import type { CheckTools, Config, FieldFault, OpenProvider } from "../providers/provider.ts";
import { privateKeyOf } from "../saml/members.ts";
import { checkMapper } from "./mapper.ts";
import { PERSON_MEMBERS } from "./person.ts";
import { connectionOf, testDirectory } from "./test-call.ts";

const url = Type.String({
  minLength: 1,
  maxLength: 300,
  pattern: "^[Ll][Dd][Aa][Pp][Ss]?://[^\\s/?#@\\\\]+/?$",
  description: "an address such as ldaps://host:port, or ldap://host:port with StartTLS, without a path",
});
const attribute = (text: string) => Type.String({ minLength: 1, maxLength: 128, pattern: "^[A-Za-z0-9.;-]+$", description: text });
const minutes = (text: string, standard: number) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_080,
      description: `${text}, in minutes, at least 5. 0 turns automatic runs off. Default ${standard}`,
    }),
  );
const whenUnreachable = (text: string, standard: "allow" | "refuse") =>
  Type.Optional(oneOf(["allow", "refuse"], { description: `${text} while the user's entry cannot be read. Default ${standard}` }));

/** The intervals of syncs in minutes. A full run reads every entry. Without DirSync, only a full run finds out which entries are gone. */
export const SYNC_DEFAULTS = { fullSyncMinutes: 360, changedSyncMinutes: 30 } as const;

const members = {
  url,
  urls: Type.Optional(
    Type.Array(url, { maxItems: 5, uniqueItems: true, description: "Further servers of the same directory, which are tried in turn" }),
  ),
  startTls: Type.Optional(
    Type.Boolean({
      description: "Switch ldap:// connections to TLS before anything else is sent. ldaps:// connections begin with TLS. Default false",
    }),
  ),
  caCertificate: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: "The PEM certificates of the authorities that issue the directory's certificate, instead of the public ones",
    }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({
      minimum: 500,
      maximum: 30_000,
      description: "The timeout of a connection and of a response, in milliseconds. Default 5000",
    }),
  ),
  bindDn: lineText("the account that searches: a distinguished name, in Active Directory also `name@domain`", 1000),
  bindPassword: Type.Optional(secretText("The password of that account")),
  bindPasswordSet: Type.Optional(secretSet),
  clientCertificate: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: "The PEM certificate, with its chain, by which this server authenticates to the directory in TLS",
    }),
  ),
  clientKey: Type.Optional(secretText("The private key of clientCertificate, in PEM without a passphrase")),
  clientKeySet: Type.Optional(secretSet),
  userSearchBase: Type.String({
    maxLength: 1000,
    pattern: "^[^\\p{Cc}]*$",
    description: "The distinguished name below which user entries are searched",
  }),
  userSearchFilter: Type.Optional(
    lineText("the filter for users (RFC 4515). `{0}` stands for the username that was entered. Default `(uid={0})`", 4096),
  ),
  idAttribute: Type.Optional(
    attribute("the attribute that stays when an entry is renamed or moved. Default entryUUID, in Active Directory objectGUID"),
  ),
  uidAttribute: Type.Optional(attribute("the attribute that becomes the username. Default uid")),
  emailAttribute: Type.Optional(attribute("the attribute that holds the email address. Default mail")),
  firstNameAttribute: Type.Optional(attribute("the attribute that holds the first name. Default givenName")),
  lastNameAttribute: Type.Optional(attribute("the attribute that holds the last name. Default sn")),
  groupSearchBase: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: "^[^\\p{Cc}]*$",
      description:
        "The distinguished name below which groups are searched, for mappers of the claim `groups`. If omitted, the groups are those in `memberOf` of the entry",
    }),
  ),
  groupSearchFilter: Type.Optional(
    lineText("the filter for groups (RFC 4515). Default: every usual kind of group, in Active Directory `(objectClass=group)`", 4096),
  ),
  groupNameAttribute: Type.Optional(attribute("the attribute that holds the name of a group. Default cn")),
  groupMemberAttribute: Type.Optional(
    attribute("the attribute of a group that lists its members by DN, or `memberUid`, which lists them by username. Default member"),
  ),
  nestedGroups: Type.Optional(
    Type.Boolean({ description: "True: members of a group are also members of the groups that contain it. Default false" }),
  ),
  trustEmail: Type.Optional(Type.Boolean({ description: "True: the directory's email addresses count as verified. Default false" })),
  provisioning: Type.Optional(
    oneOf(["create", "deny"], {
      description: "`create`: users without an account get one when they sign in, or in a sync. Default create",
    }),
  ),
  editMode: Type.Optional(
    oneOf(["READ_ONLY", "PASSWORD"], {
      description: "PASSWORD: new passwords of its users are written to the directory. Nothing else is ever written. Default READ_ONLY",
    }),
  ),
  fullSyncMinutes: minutes("The interval at which the whole directory is read", SYNC_DEFAULTS.fullSyncMinutes),
  changedSyncMinutes: minutes("The interval at which changes are read", SYNC_DEFAULTS.changedSyncMinutes),
  entryCheckSeconds: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: 86_400 },
      description:
        "The seconds after which a user's entry is looked up again. A sign-in, by any factor, and a refresh of a token ask the directory for the entry unless it was found within this time. Default 300",
    }),
  ),
  signInWhenUnreachable: whenUnreachable("`allow`: its users can sign in by other factors than the password", "refuse"),
  refreshWhenUnreachable: whenUnreachable("`allow`: tokens and sessions of its users remain usable", "allow"),
  returningEntries: Type.Optional(
    oneOf(["new", "former"], {
      description:
        "The treatment of an entry whose name belongs to a user whose own entry is gone: it is a new user, or that user again. Default new",
    }),
  ),
};

const defaults = {
  ...{ urls: [], startTls: false, timeoutMs: 5_000, userSearchFilter: "(uid={0})", uidAttribute: "uid", emailAttribute: "mail" },
  ...{ firstNameAttribute: "givenName", lastNameAttribute: "sn", trustEmail: false, provisioning: "create", editMode: "READ_ONLY" },
  ...{ groupNameAttribute: "cn", groupMemberAttribute: "member", nestedGroups: false },
  ...{
    ...SYNC_DEFAULTS,
    entryCheckSeconds: 300,
    signInWhenUnreachable: "refuse",
    refreshWhenUnreachable: "allow",
    returningEntries: "new",
  },
};

const kind = (own: Config, directory: DirectoryTraits): IdentityProviderProtocol => ({
  directory,
  config: Type.Object(members, { additionalProperties: false }),
  defaults: { ...defaults, ...own },
  secrets: ["bindPassword", "clientKey"],
  harmless: ["timeoutMs", "fullSyncMinutes", "changedSyncMinutes"],
  subjectMembers: ["idAttribute"],
  checkMapper,
  // The bind password is sent to each of these servers, and without TLS it is readable on the network.
  addresses: (config) => [...connectionOf({ config }).urls, `tls:${config.startTls === true} ${String(config.caCertificate ?? "")}`],
  unusedSecrets: ({ clientCertificate }) => (clientCertificate === undefined ? ["clientKey"] : []),
  check,
  test: (provider, { outbound }) => testDirectory(provider, outbound),
});

const GROUPS = "(|(objectClass=groupOfNames)(objectClass=groupOfUniqueNames)(objectClass=posixGroup))";
export const ldap = kind(
  { idAttribute: "entryUUID", groupSearchFilter: GROUPS },
  {
    numbersChanges: false,
    marksResets: true,
    writePassword: (connection, { dn, next, current }) => connection.setPassword(dn, next, current),
  },
);
export const ad = kind(
  { idAttribute: "objectGUID", groupSearchFilter: "(objectClass=group)" },
  {
    numbersChanges: true,
    marksResets: false,
    writePassword: (connection, { dn, next, current }) => connection.setUnicodePassword(dn, next, current),
  },
);

function check({ config, secrets }: Pick<OpenProvider, "config" | "secrets">, { outbound }: CheckTools): FieldFault[] {
  const startTls = config.startTls === true;
  const urls = [["config.url", config.url], ...((config.urls ?? []) as string[]).map((one, i) => [`config.urls.${i}`, one])] as const;
  return [
    ...urls.flatMap(([field, one]) => addressFaults(String(one), String(field), startTls, outbound)),
    ...filterFaults("userSearchFilter", String(config.userSearchFilter)),
    ...filterFaults("groupSearchFilter", String(config.groupSearchFilter)),
    ...editFaults(config),
    ...intervalFaults(config),
    ...dnFaults("userSearchBase", config.userSearchBase, "ou=people,dc=example,dc=com"),
    ...dnFaults("groupSearchBase", config.groupSearchBase, "ou=groups,dc=example,dc=com"),
    ...[...PERSON_MEMBERS, "groupNameAttribute", "groupMemberAttribute"]
      .filter((member) => !isAttributeName(String(config[member])))
      .map((member) => fault(member, "does not name an attribute, such as mail")),
    ...certificateFaults("caCertificate", config.caCertificate),
    ...identityFaults(config, secrets),
    ...(secrets.bindPassword === undefined
      ? [fault("bindPassword", "is required, because the server searches the directory as bindDn")]
      : []),
  ];
}

function addressFaults(written: string, field: string, startTls: boolean, outbound: Outbound): FieldFault[] {
  try {
    const target = parseLdapUrl(written);
    outbound.checkHost({ ...target, tls: target.tls || startTls });
    return [];
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    if (error.reason === "scheme")
      return [{ field, message: `${field}: passwords would cross the network in clear text. Use ldaps://, or ldap:// with startTls` }];
    if (error.reason === "bad_url")
      return [{ field, message: `${field} has the form ldaps://host:636 or ldap://host:389, with nothing else` }];
    return [{ field, message: `${field}: ${error.message}` }];
  }
}

const hasTls = (config: Config): boolean => {
  const { urls, startTls } = connectionOf({ config });
  return startTls || urls.every((one) => /^ldaps:/i.test(one));
};

/** Checks that a client certificate and its key belong together, and that TLS is on: they are used in TLS only. */
function identityFaults(config: Config, { clientKey: pem }: OpenProvider["secrets"]): FieldFault[] {
  const { clientCertificate } = config;
  if (clientCertificate === undefined) return pem === undefined ? [] : [fault("clientCertificate", "is required with clientKey")];
  const unreadable = certificateFaults("clientCertificate", clientCertificate);
  if (unreadable.length > 0) return unreadable;
  if (!hasTls(config)) return [fault("clientCertificate", NEEDS_TLS)];
  if (pem === undefined) return [fault("clientKey", "is required: the private key of clientCertificate")];
  const key = privateKeyOf(pem);
  if (!key) return [fault("clientKey", "must be a private key in PEM without a passphrase")];
  const isTheirs = new X509Certificate(String(clientCertificate)).checkPrivateKey(key);
  return isTheirs ? [] : [fault("clientKey", "is not the key of clientCertificate")];
}

const NEEDS_TLS = "needs TLS on every address: use ldaps://, or ldap:// with startTls";

/** Active Directory accepts new passwords over TLS only (MS-ADTS §3.1.1.3.1.5), so TLS is required of every directory that takes passwords. */
const editFaults = (config: Config): FieldFault[] =>
  config.editMode !== "PASSWORD" || hasTls(config) ? [] : [fault("editMode", `PASSWORD ${NEEDS_TLS}`)];

const intervalFaults = (config: Config): FieldFault[] =>
  Object.keys(SYNC_DEFAULTS)
    .filter((member) => Number(config[member]) > 0 && Number(config[member]) < 5)
    .map((member) => fault(member, "must be 5 or more, or 0 for no automatic sync"));

const dnFaults = (member: string, base: unknown, example: string): FieldFault[] =>
  base === undefined || parseDn(String(base)) !== null ? [] : [fault(member, `is not a distinguished name, such as ${example}`)];

function filterFaults(member: "userSearchFilter" | "groupSearchFilter", written: string): FieldFault[] {
  const field = `config.${member}`;
  try {
    const { hasPlaceholder } = parseTemplate(written);
    if (member === "userSearchFilter" && !hasPlaceholder) return [fault(member, "must contain {0} for the username, such as (uid={0})")];
    if (member === "groupSearchFilter" && hasPlaceholder) return [fault(member, "must not contain {0}, because it finds all groups")];
    return [];
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    return [{ field, message: `${field}: ${error.message}` }];
  }
}

function certificateFaults(member: string, pem: unknown): FieldFault[] {
  if (typeof pem !== "string") return [];
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const one of certificates) new X509Certificate(one);
    if (certificates.length > 0) return [];
  } catch {
    // The error is returned below.
  }
  return [fault(member, "is not a certificate in PEM (-----BEGIN CERTIFICATE-----)")];
}
