import { flagOf, isTrue, numberOf, parsedOf, recordOf, recordsOf, textOf, unique, type Values } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";

/** Older releases write members of the realm into its attributes as well. */
export const withAttributes = (value: Values): Values => ({ ...recordOf(value.attributes), ...value });

/** Reports what became of each attribute. `known` are the members of the realm, which may be attributes, too. */
export function reportAttributes(
  { value, report }: KeycloakRealm,
  known: { readonly mapped: readonly string[]; readonly ignored: readonly string[] },
): void {
  const attributes = recordOf(value.attributes);
  for (const [name, text] of Object.entries(attributes)) {
    const reason = Object.hasOwn(REASONS, name) ? REASONS[name]!(text) : undefined;
    if (reason === null) report.ignored(`attributes.${name}`);
    else if (reason !== undefined) report.unmapped(`attributes.${name}`, reason, "attributes");
    else
      report.members(
        "attributes",
        "attributes",
        { [name]: text },
        {
          mapped: [...known.mapped, "cibaExpiresIn", "oauth2DeviceCodeLifespan", "frontendUrl"],
          ignored: [...known.ignored, "cibaAuthRequestedUserHint"],
          ignoredPrefixes: ["webAuthnPolicy", "_browser_header."],
        },
      );
  }
}

/** Makes a rule that returns null if a value is the same here or not set, so that nothing is lost; otherwise it returns the reason. */
const unless = (isSame: (text: unknown) => boolean, reason: string) => (text: unknown) => (isSame(text) ? null : reason);
const isNone = (text: unknown) => textOf(text) === undefined || numberOf(text) === 0;
const is = (same: number) => (text: unknown) => isNone(text) || numberOf(text) === same;
const OF_SESSIONS = "Tokens of a client end with the session here: `sessions` and `tokens` of the settings have the times";
const OF_PROFILES = "Client profiles are `oidc.leastProfile` and `profile` of clients here";
const OF_MAILS = "Links in mails have lifetimes of the server here";

/** Rules for attributes that have no setting here. Each returns the reason, or null if nothing is lost. */
const REASONS: Readonly<Record<string, (text: unknown) => string | null>> = {
  ...Object.fromEntries(
    ["clientSessionIdleTimeout", "clientSessionMaxLifespan", "clientOfflineSessionIdleTimeout", "clientOfflineSessionMaxLifespan"].map(
      (name) => [name, unless(isNone, OF_SESSIONS)],
    ),
  ),
  ...Object.fromEntries(
    ["verify-email", "reset-credentials", "idp-verify-account-via-email", "execute-actions"].map((action) => [
      `actionTokenGeneratedByUserLifespan.${action}`,
      unless(isNone, OF_MAILS),
    ]),
  ),
  cibaBackchannelTokenDeliveryMode: unless((text) => text === "poll", "Each client has its own delivery mode here"),
  cibaInterval: unless(is(5), "Clients ask again after 5 seconds here"),
  oauth2DevicePollingInterval: unless(is(5), "Devices ask again after 5 seconds here"),
  parRequestUriLifespan: unless(is(60), "A pushed request lasts 60 seconds here (RFC 9126)"),
  realmReusableOtpCode: unless((text) => !isTrue(text), "A code of an authenticator app works once here"),
  "acr.loa.map": unless(
    (text) => Object.entries(recordOf(parsedOf(text))).every(([name, level]) => name === String(level) && ["1", "2"].includes(name)),
    "The levels are called 1 (one factor) and 2 (two) here: applications ask for those by `acr_values`",
  ),
  "client-policies.profiles": unless(isEmptyPolicy, OF_PROFILES),
  "client-policies.policies": unless(isEmptyPolicy, OF_PROFILES),
};

function isEmptyPolicy(text: unknown): boolean {
  const { profiles, policies } = recordOf(parsedOf(text));
  return recordsOf(profiles).length + recordsOf(policies).length === 0;
}

/** Required actions that need not be enabled here: they can be given to every account, or are always available. */
const AS_HERE = [
  ...["UPDATE_PROFILE", "VERIFY_EMAIL", "CONFIGURE_TOTP", "UPDATE_PASSWORD", "webauthn-register", "webauthn-register-passwordless"],
  ...["VERIFY_PROFILE", "UPDATE_EMAIL", "delete_credential", "idp_link", "CONFIGURE_RECOVERY_AUTHN_CODES", "update_user_locale"],
];
const SWITCHED = ["TERMS_AND_CONDITIONS", "terms_and_conditions", "delete_account"];
/** Required actions that new users can have by the settings of the realm. */
const OF_NEW_USERS: Readonly<Record<string, string>> = {
  CONFIGURE_TOTP: "CONFIGURE_TOTP",
  UPDATE_PROFILE: "UPDATE_PROFILE",
  "webauthn-register": "CONFIGURE_PASSKEY",
  "webauthn-register-passwordless": "CONFIGURE_PASSKEY",
};

export interface ActionSettings {
  readonly requiredActions?: string[];
  readonly terms?: true;
  readonly verifyEmail?: true;
  readonly erase?: true;
}

/** Returns the settings that follow from the required actions of the realm: actions of every new user, and whether users may delete their account. */
export function actionSettingsOf({ value, report }: KeycloakRealm): ActionSettings {
  const ofNewUsers: string[] = [];
  let found: ActionSettings = {};
  for (const { alias: name, enabled, defaultAction } of recordsOf(value.requiredActions)) {
    const alias = textOf(name) ?? "";
    const path = `requiredActions[${alias}]`;
    const isOn = flagOf(enabled) ?? true;
    const unmapped = (member: string, reason: string) => report.unmapped(`${path}${member}`, reason, path);
    if (![...AS_HERE, ...SWITCHED].includes(alias)) {
      if (isOn) unmapped("", "There is no such required action here");
      else report.ignored(path);
    } else if (!isOn) {
      if (SWITCHED.includes(alias) || alias === "UPDATE_EMAIL") report.ignored(path);
      else unmapped(".enabled", "Required actions are not switched off here: give it to nobody");
    } else if (alias === "delete_account") {
      found = { ...found, erase: true };
      report.mapped(path);
    } else if (!isTrue(defaultAction)) report.ignored(path);
    else if (SWITCHED.includes(alias)) {
      found = { ...found, terms: true };
      report.mapped(`${path}.defaultAction`);
    } else if (alias === "VERIFY_EMAIL") {
      found = { ...found, verifyEmail: true };
      report.mapped(`${path}.defaultAction`);
    } else if (Object.hasOwn(OF_NEW_USERS, alias)) {
      ofNewUsers.push(OF_NEW_USERS[alias]!);
      report.mapped(`${path}.defaultAction`);
      report.choice(
        "Required actions of every new user count here for those who register; give users that administrators make theirs by `requiredActions`",
      );
    } else unmapped(".defaultAction", "New users cannot be given this action by a setting here");
  }
  return { ...found, ...(ofNewUsers.length > 0 && { requiredActions: unique(ofNewUsers) }) };
}

const KEYS = "org.keycloak.keys.KeyProvider";
const REGISTRATION = "org.keycloak.services.clientregistration.policy.ClientRegistrationPolicy";
const OF_KEYS: Readonly<Record<string, string | null>> = {
  "hmac-generated": null,
  "aes-generated": null,
  "rsa-enc": "The key to which SAML messages were encrypted stays there: give the applications this server's metadata",
};
const SIGNING_KEY =
  "Signing keys stay there: applications read the keys of this server from its metadata. SAML service providers that were given the certificate need this server's";

/** Reports what became of each component, by its provider. Other parts report the kinds in `apart`. */
export function reportComponents({ value, report }: KeycloakRealm, apart: readonly string[]): void {
  for (const [kind, list] of Object.entries(recordOf(value.components)))
    for (const { providerId, name } of recordsOf(list)) {
      const provider = textOf(providerId) ?? "";
      const path = `components.${kind}[${provider}]`;
      const at = `components[${textOf(name) ?? provider}]`;
      if (apart.includes(kind)) continue;
      // Client registration has its own rules here. The secrets of Keycloak's own cookies mean nothing elsewhere.
      if (kind === REGISTRATION) report.ignored(path);
      else if (kind !== KEYS) report.unmapped(path, "This has no place here", at);
      else if (OF_KEYS[provider] === null) report.ignored(path);
      else report.unmapped(path, OF_KEYS[provider.replace(/-generated$/, "")] ?? SIGNING_KEY, at);
    }
}
