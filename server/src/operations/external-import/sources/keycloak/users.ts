import type { ImportUser } from "../../../../directory/import/index.ts";
import { defined, flagOf, isTrue, numberOf, recordOf, recordsOf, textOf, textsOf, unique, uuidOf, type Values } from "../../reading.ts";
import { credentialsOf } from "./credentials.ts";
import type { KeycloakRealm } from "./export.ts";

const known = {
  mapped: [
    ...["id", "username", "email", "emailVerified", "enabled", "firstName", "lastName", "attributes", "createdTimestamp", "credentials"],
    ...["requiredActions", "realmRoles", "clientRoles", "groups", "federatedIdentities"],
  ],
  ignored: [
    "totp",
    "disableableCredentialTypes",
    "notBefore",
    "access",
    "self",
    "origin",
    "clientConsents",
    "userProfileMetadata",
    "serviceAccountClientId",
  ],
};

const ACTIONS: Readonly<Record<string, ImportUser["requiredActions"] extends (infer A)[] | undefined ? A : never>> = {
  ...{
    CONFIGURE_TOTP: "CONFIGURE_TOTP",
    UPDATE_PASSWORD: "UPDATE_PASSWORD",
    UPDATE_PROFILE: "UPDATE_PROFILE",
    VERIFY_EMAIL: "VERIFY_EMAIL",
  },
  ...{ TERMS_AND_CONDITIONS: "ACCEPT_TERMS", terms_and_conditions: "ACCEPT_TERMS" },
  ...{ "webauthn-register": "CONFIGURE_PASSKEY", "webauthn-register-passwordless": "CONFIGURE_PASSKEY" },
};

const NAME = /^[A-Za-z0-9_.:-]{1,128}$/;
const MAX_VALUE = 4096;

function attributesOf(realm: KeycloakRealm, user: Values, at: string): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(recordOf(user.attributes))) {
    const texts = typeof value === "string" ? [value] : textsOf(value);
    const fits = NAME.test(name) && texts.length <= 100 && texts.every((text) => text.length <= MAX_VALUE);
    if (!fits)
      realm.report.unmapped(
        "users[].attributes",
        "Its name has other characters than letters, digits and _.:-, or its values are too long",
        at,
      );
    else if (texts.length > 0) found[name] = texts.length === 1 ? texts[0]! : texts;
  }
  for (const name of ["firstName", "lastName"] as const) {
    const text = textOf(user[name]);
    if (text !== undefined) found[name] = text.slice(0, MAX_VALUE);
  }
  return found;
}

/** Translates a user into a row of an import. Ids are kept, because applications know users by them. */
export function userOf(realm: KeycloakRealm, user: Values, at: string, organizations: ImportUser["organizations"] = []): ImportUser {
  const { report } = realm;
  report.members("users[]", at, user, known);
  const { password, passwordHash, credentials, isTemporary } = credentialsOf(realm, user, at);
  const { roles, clientRoles } = realm.roleNames(user.realmRoles, user.clientRoles, "users[].clientRoles", at);
  const userId = uuidOf(user.id);
  const attributes = attributesOf(realm, user, at);
  if (userId === undefined && textOf(user.id) !== undefined) {
    attributes.legacySubject = textOf(user.id)!;
    report.choice(
      "Some ids of users are no UUIDs. They are in the attribute legacySubject: let `sub` of the clients that know them be that attribute (subjectClaim)",
    );
  }
  const groups = textsOf(user.groups).flatMap((path) => {
    const ours = realm.groupPaths.get(path) ?? realm.groupPaths.get(`/${path}`);
    if (ours === undefined) report.unmapped("users[].groups", "The file does not have this group", at);
    return ours ?? [];
  });
  const actions = textsOf(user.requiredActions).flatMap((name) => {
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name]! : undefined;
    if (action === undefined) report.unmapped(`users[].requiredActions[${name}]`, "There is no such required action here", at);
    return action ?? [];
  });
  const federatedIdentities = recordsOf(user.federatedIdentities).flatMap(({ identityProvider, userId: subject, userName, ...others }) => {
    report.members("users[].federatedIdentities[]", at, others, { mapped: [] });
    return textOf(identityProvider) === undefined || textOf(subject) === undefined
      ? []
      : [{ provider: textOf(identityProvider)!, subject: textOf(subject)!, username: textOf(userName)?.slice(0, 255) ?? null }];
  });
  const enabled = flagOf(user.enabled) ?? false;
  if (flagOf(user.enabled) === undefined) report.choice("Users without `enabled` come disabled, as they do in Keycloak");
  const createdAt = numberOf(user.createdTimestamp);
  const email = textOf(user.email);
  // If several users may have an address, Keycloak lets nobody sign in by it.
  const isClaimed = email !== undefined && !isTrue(user.emailVerified) && isTrue(realm.value.duplicateEmailsAllowed);
  return {
    username: textOf(user.username) ?? "",
    ...defined({
      userId,
      email,
      emailVerified: email === undefined ? undefined : flagOf(user.emailVerified),
      enabled,
      createdAt: createdAt === undefined || createdAt < 0 ? undefined : Math.min(createdAt, realm.input.now),
      password,
      passwordHash,
    }),
    attributes,
    roles,
    requiredActions: unique([...actions, ...(isTemporary ? (["UPDATE_PASSWORD"] as const) : [])]),
    ...(isClaimed && { inactiveLoginNames: ["email" as const] }),
    ...(clientRoles.length > 0 && { clientRoles }),
    ...(groups.length > 0 && { groups: unique(groups) }),
    ...(organizations.length > 0 && { organizations }),
    ...(credentials.length > 0 && { credentials }),
    ...(federatedIdentities.length > 0 && { federatedIdentities }),
  };
}
