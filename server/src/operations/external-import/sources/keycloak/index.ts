import { AppError } from "../../../../kernel/errors.ts";
import { aroundLists } from "../../json-lists.ts";
import { listOf, recordOf, textOf, type Values } from "../../reading.ts";
import { elementsOf } from "../../rows.ts";
import type { ExternalSource, SourceFile, SourceInput, SourceOutput } from "../../source.ts";
import { authorizationOf } from "./authorization.ts";
import { clientsOf, scopeMappingsOf } from "./clients.ts";
import { directoriesOf, directoryAliases, STORAGE } from "./directories.ts";
import { KeycloakRealm, type RoleNames } from "./export.ts";
import { flowsOf } from "./flows.ts";
import { groupsOf } from "./groups.ts";
import { identityProvidersOf } from "./identity-providers.ts";
import { mailOf } from "./mail.ts";
import { membershipsOf, organizationsOf } from "./organizations.ts";
import { reportAttributes, reportComponents } from "./realm-attributes.ts";
import { namedRolesOf, permissionRolesOf, rolesOf } from "./roles.ts";
import { samlClientsOf } from "./saml-clients.ts";
import { scopesOf } from "./scopes.ts";
import { settingsMembers, settingsOf } from "./settings.ts";
import { USER_PROFILE } from "./user-profile.ts";
import { userOf } from "./users.ts";

/** Members that are left out on purpose: they belong to one server, ship here, or follow from the protocol. */
const IGNORED = [
  ...["id", "realm", "enabled", "keycloakVersion", "notBefore", "sslRequired", "displayNameHtml", "requiredCredentials"],
  ...["revokeRefreshToken", "refreshTokenMaxReuse", "accessTokenLifespanForImplicitFlow", "ssoSessionIdleTimeoutRememberMe"],
  ...["offlineSessionMaxLifespanEnabled", "offlineSessionMaxLifespan", "accessCodeLifespanUserAction", "accessCodeLifespanLogin"],
  ...["actionTokenGeneratedByAdminLifespan", "actionTokenGeneratedByUserLifespan", "oauth2DevicePollingInterval", "loginWithEmailAllowed"],
  ...["clientSessionIdleTimeout", "clientSessionMaxLifespan", "clientOfflineSessionIdleTimeout", "clientOfflineSessionMaxLifespan"],
  ...["permanentLockout", "maxTemporaryLockouts", "bruteForceStrategy", "minimumQuickLoginWaitSeconds", "waitIncrementSeconds"],
  ...[
    "quickLoginCheckMilliSeconds",
    "maxSecondaryAuthFailures",
    "otpPolicyInitialCounter",
    "otpPolicyCodeReusable",
    "otpSupportedApplications",
  ],
  ...["browserSecurityHeaders", "eventsEnabled", "eventsListeners", "enabledEventTypes", "adminEventsEnabled", "adminEventsDetailsEnabled"],
  ...["supportedLocales", "organizationsEnabled", "userManagedAccessAllowed", "verifiableCredentialsEnabled", "adminPermissionsEnabled"],
  ...[
    "scimApiEnabled",
    "duplicateEmailsAllowed",
    "loginTheme",
    "accountTheme",
    "adminTheme",
    "emailTheme",
    "keycloakVersion",
    "codeSecret",
  ],
];
const MAPPED = [
  ...[
    "roles",
    "groups",
    "defaultRole",
    "defaultRoles",
    "defaultGroups",
    "users",
    "scopeMappings",
    "clientScopeMappings",
    "clients",
    "clientScopes",
  ],
  ...["defaultDefaultClientScopes", "defaultOptionalClientScopes", "smtpServer", "identityProviders", "identityProviderMappers"],
  ...["authenticationFlows", "authenticatorConfig", "browserFlow", "registrationFlow", "directGrantFlow", "resetCredentialsFlow"],
  ...["clientAuthenticationFlow", "dockerAuthenticationFlow", "firstBrokerLoginFlow", "organizations"],
];
/** Members whose own members are reported one by one. */
const APART = ["attributes", "requiredActions", "components"];

/** One document of a file: a realm, or some users of a realm, which may be in files of their own. */
interface Part {
  readonly file: SourceFile;
  readonly document: number;
  readonly value: Values;
}

async function partsOf({ files }: SourceInput): Promise<Part[]> {
  const parts: Part[] = [];
  for (const file of files) {
    const value = await aroundLists(file.read(), "users");
    for (const [document, one] of (Array.isArray(value) ? value : [value]).entries()) parts.push({ file, document, value: recordOf(one) });
  }
  return parts;
}

const nameOf = ({ value }: Part) => textOf(value.realm) ?? "";
/** Tells whether a part has more than users: a file of users names the realm and has nothing else. */
const isConfiguration = ({ value }: Part) => Object.keys(value).some((member) => !["realm", "users", "federatedUsers"].includes(member));

/** Returns the parts of the realm to import; `main` has its configuration. */
function chosen(parts: readonly Part[], from: string | null): { readonly main: Part | null; readonly all: readonly Part[] } {
  const names = [...new Set(parts.map(nameOf))];
  const refuse = (message: string) => new AppError("external.realm", 400, message, { errors: [{ field: "from", code: "realm", message }] });
  if (from === null && names.length > 1)
    throw refuse(`The files hold several realms (${names.slice(0, 20).join(", ")}): say by ?from= which one to import`);
  if (from !== null && !names.includes(from)) throw refuse(`The files hold no realm “${from}”: there are ${names.slice(0, 20).join(", ")}`);
  const all = parts.filter((part) => from === null || nameOf(part) === from);
  const mains = all.filter(isConfiguration);
  if (mains.length > 1) throw refuse("The files hold the same realm twice");
  return { main: mains[0] ?? null, all };
}

/** Reads the users before the clients, because the roles of service accounts belong to their clients. Returns these roles by client id. */
async function readUsers(realm: KeycloakRealm, parts: readonly Part[], { user: write, report }: SourceOutput) {
  const memberships = membershipsOf(realm);
  const directories = directoryAliases(realm);
  const accounts = new Map<string, RoleNames>();
  for (const { file, document, value } of parts) {
    if (listOf(value.federatedUsers).length > 0)
      report.unmapped("federatedUsers", "What Keycloak keeps of users of other stores is not carried over", file.name);
    for await (const { value: user, at } of elementsOf(file, "users", report, document)) {
      const clientId = textOf(user.serviceAccountClientId);
      if (clientId !== undefined) accounts.set(clientId, realm.roleNames(user.realmRoles, user.clientRoles, "users[].clientRoles", at));
      else if (directories.has(String(user.federationLink))) report.ignored("users[].federationLink");
      else await write(userOf(realm, user, at, memberships.get(String(user.username))));
    }
  }
  return accounts;
}

async function translate(input: SourceInput, output: SourceOutput): Promise<Record<string, unknown>> {
  const { main, all } = chosen(await partsOf(input), input.from);
  const realm = new KeycloakRealm(main?.value ?? { realm: all[0]?.value.realm }, output.report, input);
  const { report, value } = realm;
  const mapped = [...settingsMembers, ...MAPPED];
  report.members("", "", value, { mapped, ignored: IGNORED, apart: APART, ignoredPrefixes: ["webAuthnPolicy"] });
  reportAttributes(realm, { mapped: settingsMembers, ignored: IGNORED });
  reportComponents(realm, [STORAGE, USER_PROFILE]);
  const groups = groupsOf(realm);
  if (main === null) {
    await readUsers(realm, all, output);
    return { namedRoles: namedRolesOf(realm) };
  }
  const roles = rolesOf(realm);
  const scopes = scopesOf(realm);
  const flows = flowsOf(realm);
  const accounts = await readUsers(realm, all, output);
  const clients = clientsOf(realm, accounts);
  scopeMappingsOf(realm);
  const sections = {
    settings: settingsOf(realm),
    ...scopes,
    flows,
    clients,
    authorization: authorizationOf(realm, clients),
    groups,
    identityProviders: [...identityProvidersOf(realm), ...directoriesOf(realm)],
    organizations: organizationsOf(realm),
    samlClients: samlClientsOf(realm),
    messagingProviders: mailOf(realm),
    roles: [...roles, ...permissionRolesOf(realm)],
    namedRoles: namedRolesOf(realm),
  };
  return Object.fromEntries(Object.entries(sections).filter(([, section]) => !Array.isArray(section) || section.length > 0));
}

/** Reads the export of a realm: one file, or a folder of files. */
export const keycloak: ExternalSource = {
  name: "keycloak",
  title: "Keycloak",
  // A file that a person wrote may have no more than the name of its realm and one list.
  looksLike: ({ head }) =>
    /"realm"\s*:\s*"/.test(head) &&
    /"(keycloakVersion|sslRequired|notBefore|accessTokenLifespan|requiredCredentials|clients|users|roles|groups|identityProviders|enabled)"\s*:/.test(
      head,
    ),
  translate,
};
