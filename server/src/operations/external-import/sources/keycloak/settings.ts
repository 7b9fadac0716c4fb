import { signingAlgs } from "../../../../tenancy/keys/index.ts";
import { locales } from "../../../../tenancy/settings/index.ts";
import { defined, flagOf, isTrue, listOf, numberOf, recordOf, recordsOf, textOf, within } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";
import { actionSettingsOf, withAttributes } from "./realm-attributes.ts";
import { userProfileOf } from "./user-profile.ts";

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const isSpoken = (locale: string) => locales.some((known) => known === locale);

/** The members of a realm that are settings here. Times are rounded down: nothing lasts longer than it did. */
export const settingsMembers = [
  ...["displayName", "defaultLocale", "internationalizationEnabled", "ssoSessionIdleTimeout", "ssoSessionMaxLifespan", "rememberMe"],
  ...[
    "ssoSessionMaxLifespanRememberMe",
    "accessTokenLifespan",
    "accessCodeLifespan",
    "oauth2DeviceCodeLifespan",
    "offlineSessionIdleTimeout",
  ],
  ...[
    "defaultSignatureAlgorithm",
    "bruteForceProtected",
    "failureFactor",
    "maxFailureWaitSeconds",
    "maxDeltaTimeSeconds",
    "passwordPolicy",
  ],
  ...["otpPolicyType", "otpPolicyAlgorithm", "otpPolicyDigits", "otpPolicyPeriod", "otpPolicyLookAheadWindow", "registrationAllowed"],
  ...["userProfile", "registrationEmailAsUsername", "verifyEmail", "resetPasswordAllowed", "editUsernameAllowed", "eventsExpiration"],
];

export function settingsOf(realm: KeycloakRealm): Record<string, unknown> {
  const { report } = realm;
  const value = withAttributes(realm.value);
  const { erase, ...ofNewUsers } = actionSettingsOf(realm);
  const scaled = (member: string, unit: number, minimum: number, maximum: number): number | undefined => {
    const seconds = numberOf(value[member]);
    if (seconds === undefined || seconds <= 0) return undefined;
    const inUnits = within(seconds / unit, minimum, maximum);
    if (inUnits * unit > seconds) report.choice(`${member} is ${seconds} seconds there; the shortest here is ${inUnits * unit}`);
    return inUnits;
  };
  const locale = textOf(value.defaultLocale);
  const algorithm = textOf(value.otpPolicyAlgorithm)?.replace(/^Hmac/, "");
  const alg = textOf(value.defaultSignatureAlgorithm);
  const digits = numberOf(value.otpPolicyDigits);
  const drift = numberOf(value.otpPolicyLookAheadWindow);
  const failures = numberOf(value.failureFactor);
  const hasImplicit = realm.clients("openid-connect").some(({ implicitFlowEnabled }) => isTrue(implicitFlowEnabled));
  if (isTrue(value.internationalizationEnabled) && locale !== undefined && !isSpoken(locale))
    report.unmapped("defaultLocale", `Pages are in ${locales.join(", ")}`, "defaultLocale");
  if (value.otpPolicyType === "hotp")
    report.unmapped("otpPolicyType", "Codes are counted by time here (TOTP), never by use", "otpPolicyType");
  if (isTrue(value.duplicateEmailsAllowed))
    report.choice(
      "The realm allows several users with one email address. Here a verified address is one user's, and the second row with it is refused; users with an address that is not verified do not sign in by it",
    );
  return withoutEmpty({
    ...defined({
      displayName: textOf(value.displayName)?.slice(0, 255),
      defaultLocale: isTrue(value.internationalizationEnabled) && locale !== undefined && isSpoken(locale) ? locale : undefined,
    }),
    sessions: defined({
      idleMinutes: scaled("ssoSessionIdleTimeout", MINUTE, 1, 43_200),
      absoluteHours: scaled("ssoSessionMaxLifespan", HOUR, 1, 8_760),
      rememberMe: flagOf(value.rememberMe),
      rememberDays: scaled("ssoSessionMaxLifespanRememberMe", DAY, 1, 365),
    }),
    tokens: defined({
      accessTokenSeconds: scaled("accessTokenLifespan", 1, 10, 86_400),
      idTokenSeconds: scaled("accessTokenLifespan", 1, 10, 86_400),
      codeSeconds: scaled("accessCodeLifespan", 1, 5, 600),
      deviceCodeSeconds: scaled("oauth2DeviceCodeLifespan", 1, 60, 3_600),
      cibaSeconds: scaled("cibaExpiresIn", 1, 30, 3_600),
      offlineIdleDays: scaled("offlineSessionIdleTimeout", DAY, 1, 3_650),
      signingAlg: signingAlgs.find((one) => one === alg),
    }),
    bruteForce: defined({
      enabled: flagOf(value.bruteForceProtected),
      maxFailures: failures === undefined ? undefined : within(failures, 3, 1_000),
      lockMinutes: scaled("maxFailureWaitSeconds", MINUTE, 1, 1_440),
      forgetAfterMinutes: scaled("maxDeltaTimeSeconds", MINUTE, 1, 10_080),
    }),
    totp: defined({
      algorithm: algorithm !== undefined && ["SHA1", "SHA256", "SHA512"].includes(algorithm) ? algorithm : undefined,
      digits: digits === 6 || digits === 8 ? digits : undefined,
      period: scaled("otpPolicyPeriod", 1, 15, 120),
      drift: drift === undefined ? undefined : within(drift, 0, 3),
    }),
    passwordPolicy: passwordPolicyOf(realm),
    registration: defined({
      enabled: flagOf(value.registrationAllowed),
      emailAsUsername: flagOf(value.registrationEmailAsUsername),
      verifyEmail: flagOf(value.verifyEmail),
      ...ofNewUsers,
    }),
    userProfile: userProfileOf(realm),
    passwordReset: defined({ enabled: flagOf(value.resetPasswordAllowed) }),
    account: defined({ changeUsername: flagOf(value.editUsernameAllowed), erase }),
    audit: defined({ retentionDays: scaled("eventsExpiration", DAY, 7, 3_650) }),
    // In Keycloak, members of a group always have the roles of the groups above it.
    groups: recordsOf(value.groups).some(({ subGroups }) => listOf(subGroups).length > 0) ? { inheritRoles: true } : {},
    oidc: hasImplicit ? { implicitFlow: true } : {},
  });
}

const withoutEmpty = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => typeof value !== "object" || Object.keys(recordOf(value)).length > 0));

/** The rules for passwords, by their names in `passwordPolicy`, such as `length(8) and digits(1)`. */
const POLICIES: Readonly<Record<string, readonly [member: string, minimum: number, maximum: number]>> = {
  length: ["minLength", 4, 128],
  maxLength: ["maxLength", 64, 256],
  digits: ["minDigits", 0, 16],
  lowerCase: ["minLowercase", 0, 16],
  upperCase: ["minUppercase", 0, 16],
  specialChars: ["minSymbols", 0, 16],
  passwordHistory: ["history", 0, 24],
  forceExpiredPasswordChange: ["maxAgeDays", 1, 3_650],
};
const SWITCHES: Readonly<Record<string, string>> = { notUsername: "notUsername", notEmail: "notEmail", passwordBlacklist: "breachCheck" };
/** A realm does not choose the hash algorithm of passwords here. */
const OF_NO_USE = ["hashAlgorithm", "hashIterations", "maxAuthAge"];

function passwordPolicyOf({ value, report }: KeycloakRealm): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const part of (textOf(value.passwordPolicy) ?? "").split(" and ")) {
    const [, name = "", argument = ""] = /^(\w+)(?:\((.*)\))?$/.exec(part.trim()) ?? [];
    const policy = Object.hasOwn(POLICIES, name) ? POLICIES[name]! : undefined;
    const number = numberOf(argument);
    if (policy && number !== undefined) found[policy[0]] = within(number, policy[1], policy[2]);
    else if (Object.hasOwn(SWITCHES, name)) found[SWITCHES[name]!] = true;
    else if (OF_NO_USE.includes(name)) report.ignored(`passwordPolicy.${name}`);
    else if (name !== "") report.unmapped(`passwordPolicy.${name}`, "There is no such rule for passwords here", "passwordPolicy");
  }
  return found;
}
