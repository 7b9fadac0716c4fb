import Type, { type Static } from "typebox";
import { oneOf, shownText } from "../../platform/http/index.ts";
import { signingAlgs } from "../keys/index.ts";
import { UserProfilePolicy } from "./user-profile.schema.ts";

/** The languages of pages and messages. */
export const locales = ["en", "nl", "de", "fr", "es", "it", "pt", "pl", "sv", "ja", "ar"] as const;

const nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { default: null, description });
const colour = Type.String({ pattern: "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", description: "a colour is written #rgb or #rrggbb" });
const httpsAddress = Type.String({ maxLength: 2048, pattern: "^https://[!-~]+$", description: "an https address" });
const count = (value: number, minimum: number, maximum: number, description: string) =>
  Type.Integer({ default: value, minimum, maximum, description });
const flag = (value: boolean, description: string) => Type.Boolean({ default: value, description });
const group = <T extends Record<string, Type.TSchema>>(members: T) => Type.Object(members, { additionalProperties: false, default: {} });

const SessionPolicy = group({
  idleMinutes: count(30, 1, 43_200, "A session ends after this long without use"),
  absoluteHours: count(10, 1, 8_760, "A session ends after this long, used or not"),
  rememberMe: flag(true, "Offer “keep me signed in”. If it is turned off, existing sessions lose it, too"),
  rememberDays: count(30, 1, 365, "The lifetime of “keep me signed in”, used or not"),
});

const PasswordPolicy = group({
  minLength: count(8, 4, 128, "The minimum number of characters"),
  maxLength: count(128, 64, 256, "The maximum number of characters"),
  minLowercase: count(0, 0, 16, "The minimum number of lower-case letters"),
  minUppercase: count(0, 0, 16, "The minimum number of upper-case letters"),
  minDigits: count(0, 0, 16, "The minimum number of digits"),
  minSymbols: count(0, 0, 16, "The minimum number of characters that are neither letters nor digits"),
  notUsername: flag(true, "Refuse the username as password"),
  notEmail: flag(true, "Refuse the email address as password"),
  history: count(5, 0, 24, "The number of a user's last passwords, including the current one, that cannot be chosen again; 0 allows all"),
  breachCheck: flag(true, "Refuse passwords that are known to have leaked"),
  maxAgeDays: nullable(
    Type.Integer({ minimum: 1, maximum: 3_650 }),
    "The days after which a password has to be replaced. If null, it never has to be",
  ),
});

const BruteForcePolicy = group({
  enabled: flag(true, "Count failed attempts and slow them down"),
  maxFailures: count(10, 3, 1_000, "The failed attempts of one user before the temporary lock"),
  lockMinutes: count(15, 1, 1_440, "The duration of the temporary lock"),
  maxFailuresPerAddress: count(100, 5, 100_000, "The failed attempts from one address before it has to wait"),
  forgetAfterMinutes: count(60, 1, 10_080, "Failures are forgotten after this many minutes without a new one"),
});

/** The limits count per address, and whole companies share one. */
const RateLimitPolicy = group({
  signIns: count(600, 10, 100_000, "Responses to sign-in pages, forgotten passwords and invitations, from one address in a minute"),
  authorizations: count(
    600,
    10,
    100_000,
    "Sign-ins that applications and pages start, and logouts that other sites post, from one address in a minute",
  ),
  registrations: count(20, 1, 100_000, "Registrations from one address in ten minutes"),
  clientRegistrations: count(120, 1, 100_000, "Requests to register a client, from one address in a minute"),
  deviceCodes: count(120, 1, 100_000, "Codes that devices request, for one client from one address in a minute"),
  enrollments: count(60, 1, 100_000, "Requests to enroll a device, from one address in a minute"),
  push: count(240, 1, 100_000, "Requests about push approvals, from one address in a minute"),
  qr: count(120, 1, 100_000, "Requests about QR sign-in, from one address in a minute"),
  transactions: count(600, 1, 100_000, "Requests about transactions, from one address in a minute"),
  samlMessages: count(
    3_000,
    10,
    100_000,
    "Artifacts, LogoutRequests and logout tokens that other servers send, from one address in a minute",
  ),
  workloadTokens: count(120, 1, 100_000, "Workload tokens that are exchanged, from one address in a minute"),
});

/** Tokens of other issuers that workloads exchange (see applications/workload-credentials). */
const WorkloadPolicy = group({
  tokenSeconds: count(300, 60, 3_600, "The lifetime of the access token that a workload gets"),
  clockSkewSeconds: count(60, 0, 300, "The seconds by which the clocks of issuers may differ from ours"),
  keysMinutes: count(10, 1, 1_440, "The minutes for which an issuer's keys are cached; an unknown key is fetched immediately"),
});

/** Agents (applications/agents): clients that act by themselves or for users. */
const AgentPolicy = group({
  reviewDays: count(90, 1, 3_650, "The time after its activation or last attestation after which an agent has to be attested again"),
  suspendOverdueAfterDays: nullable(
    Type.Integer({ minimum: 1, maximum: 3_650 }),
    "The days after its review was due after which an agent is suspended. If null, it never is",
  ),
  allowDelegationWithoutConsent: flag(
    false,
    "Agents may act for users who have not allowed it, with a token that was issued to the agent or names it in `aud` or `may_act`",
  ),
});

/** Apps keep the values with which they were set up, so a change affects only later setups. */
const TotpPolicy = group({
  digits: Type.Unsafe<6 | 8>({ type: "integer", enum: [6, 8], default: 6, description: "The length of a code" }),
  period: count(30, 15, 120, "The seconds until the next code"),
  algorithm: oneOf(["SHA1", "SHA256", "SHA512"], {
    default: "SHA1",
    description: "The hash algorithm of codes. Many apps support only SHA1, which is secure enough for this purpose",
  }),
  drift: count(1, 0, 3, "The number of codes by which the clock of an app may be early or late"),
});

const MessagingPolicy = group({
  maxPerRecipient: count(5, 1, 1_000, "The number of messages of one template that a recipient can get in a period"),
  recipientMinutes: count(10, 1, 1_440, "The length of that period in minutes"),
  maxPerHour: count(1_000, 1, 1_000_000, "The messages of one channel in an hour"),
});

const GroupPolicy = group({
  inheritRoles: flag(false, "Members of a group also get the roles of the groups above it"),
});

const AuditPolicy = group({
  retentionDays: nullable(
    Type.Integer({ minimum: 7, maximum: 3_650 }),
    "The days after which audit events are deleted. If null, they are kept",
  ),
});

/** The defaults of clients, which may have values of their own. */
const TokenPolicy = group({
  accessTokenSeconds: count(300, 10, 86_400, "The lifetime of an access token"),
  idTokenSeconds: count(300, 10, 86_400, "The lifetime of an ID token"),
  codeSeconds: count(60, 5, 600, "The lifetime of an authorization code"),
  deviceCodeSeconds: count(600, 60, 3_600, "The lifetime of a device code"),
  cibaSeconds: count(600, 30, 3_600, "The lifetime of a backchannel request (CIBA)"),
  offlineIdleDays: count(30, 1, 3_650, "The days without use after which a grant with offline_access ends"),
  refreshReuseGraceSeconds: count(
    10,
    0,
    60,
    "The seconds in which a client that lost the response may use a refresh token again, and gets the same successor; 0 treats any second use as theft",
  ),
  authorizationDetailsTypes: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    default: [],
    maxItems: 100,
    uniqueItems: true,
    description: "The types of `authorization_details` (RFC 9396) that clients may request; client and resource agree on their content",
  }),
  signingAlg: oneOf(signingAlgs, {
    default: "RS256",
    description:
      "The signing algorithm of tokens, unless a client has its own. ES256 and EdDSA are many times cheaper; check that every client supports them",
  }),
});

/** The profiles, weakest first. Each includes the requirements of the earlier ones (see applications/clients/profiles.ts). */
export const clientProfiles = ["none", "oauth21", "fapi2-security", "fapi2-message-signing"] as const;
export type ClientProfile = (typeof clientProfiles)[number];

const OidcPolicy = group({
  leastProfile: oneOf(clientProfiles, {
    default: "none",
    description:
      "The minimum profile of new clients, whether administrators create them or they register themselves. It is also the profile of new clients that name none",
  }),
  implicitFlow: flag(
    false,
    "Offer the implicit and hybrid response types (`id_token`, `id_token token`, `code id_token`, `code token`, `code id_token token`), which put tokens into the address bar, to clients that have them. For old clients only (RFC 9700)",
  ),
  keycloakPaths: flag(
    false,
    "Answer at the paths of Keycloak, too (`/realms/{realm}/protocol/openid-connect/token` and so on), for libraries whose paths cannot be configured. Metadata lists this server's own paths",
  ),
});

export const nameIdFormats = ["persistent", "transient", "email", "unspecified"] as const;
/** The limits in seconds. The maximum is minutes only, because messages stay valid for as much longer as clocks may differ. */
export const clockSkew = { minimum: 0, maximum: 600 } as const;
/** The limits in seconds. An assertion is normally used within moments after it is sent. */
export const assertionLifetime = { minimum: 10, maximum: 86_400 } as const;

/** The defaults of SAML clients, which may have values of their own. */
const SamlPolicy = group({
  signAssertion: flag(true, "Sign assertions"),
  signResponse: flag(true, "Sign the responses that contain assertions"),
  wantAuthnRequestsSigned: flag(false, "Refuse requests that are not signed"),
  encryptAssertion: flag(false, "Encrypt assertions"),
  nameIdFormat: oneOf(nameIdFormats, { default: "persistent", description: "The NameID format if a request names none" }),
  backChannelSloEnabled: flag(false, "Notify service providers by SOAP when a session ends"),
  idpInitiatedSsoEnabled: flag(false, "Users may start a sign-in at this server"),
  assertionLifetimeSeconds: count(
    300,
    assertionLifetime.minimum,
    assertionLifetime.maximum,
    "The seconds within which an assertion must arrive",
  ),
  clockSkewSeconds: count(
    60,
    clockSkew.minimum,
    clockSkew.maximum,
    "The seconds by which the clocks of service providers may differ from ours",
  ),
});

const AccountPolicy = group({
  changeUsername: flag(false, "Users may change their own username"),
  changeEmail: flag(true, "Users may change their own email address. A new one takes effect once it is confirmed"),
  erase: flag(false, "Users may erase their own account (`DELETE /account`), permanently"),
});

const RegistrationPolicy = group({
  enabled: flag(false, "Users may register"),
  verifyEmail: flag(true, "Create an account only when the link or code that was sent to its email address is used"),
  emailAsUsername: flag(false, "The email address is the username"),
  allowedEmailDomains: Type.Array(Type.String({ minLength: 1, maxLength: 253, pattern: "^[^@\\s]+$" }), {
    default: [],
    maxItems: 100,
    uniqueItems: true,
    description: "Only email addresses of exactly these domains can register. If empty, all can",
  }),
  terms: flag(false, "Users who register accept the terms"),
  requiredActions: Type.Array(oneOf(["CONFIGURE_TOTP", "CONFIGURE_PASSKEY", "UPDATE_PROFILE"]), {
    default: [],
    uniqueItems: true,
    description: "Further required actions of new users",
  }),
});

const PasswordResetPolicy = group({
  enabled: flag(true, "Users may reset a forgotten password by mail"),
});

const TermsPolicy = group({
  text: nullable(Type.String({ minLength: 1, maxLength: 50_000 }), "The terms that users accept, as plain text"),
  url: nullable(httpsAddress, "The address of the document, instead of the text or in addition to it"),
  version: Type.String({
    default: "1",
    minLength: 1,
    maxLength: 64,
    pattern: "^[!-~]+$",
    description: "After a change of the version, users who accepted an earlier one have to accept the terms again in flows with that step",
  }),
});

const PasskeyPolicy = group({
  rpId: nullable(
    Type.String({ maxLength: 253, pattern: "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$", description: "a domain in lower case" }),
    "The domain that passkeys belong to: the server's host or a parent domain. If null, the server's host. Passkeys of another domain no longer work",
  ),
  authenticatorAttachment: nullable(
    oneOf(["platform", "cross-platform"]),
    "The kind of new passkeys: kept by the device itself (`platform`), or by a security key or phone (`cross-platform`). If null, both",
  ),
  residentKey: oneOf(["preferred", "required"], {
    default: "preferred",
    description: "`required` refuses security keys that cannot sign in without a username",
  }),
  userVerification: oneOf(["preferred", "required", "discouraged"], {
    default: "preferred",
    description:
      "User verification (finger, face or PIN) of new passkeys, and of passkeys as a second factor. A passkey as the only factor always requires it",
  }),
  maxPerUser: count(10, 1, 100, "The number of passkeys that a user can have"),
});

const TrustedDevicePolicy = group({
  enabled: flag(true, "Users may skip the second factor in a trusted browser"),
  days: count(30, 1, 365, "The days for which a browser is trusted"),
});

/** The members of branding that realms and organizations have. */
export const brandingMembers = {
  displayName: nullable(shownText(), "The name that pages and messages show"),
  logoUrl: nullable(
    Type.String({
      maxLength: 2048,
      pattern:
        "^(https://[A-Za-z0-9.\\-\\[\\]:]+([/?][!-~]*)?|/([!-.0-\\[\\]-~][!-\\[\\]-~]*)?|data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2})$",
      description: "an https address, a path on this server, or a data: image",
    }),
    "An https address, a path on this server, or a data: image",
  ),
  primaryColor: nullable(colour, "The colour as #rgb or #rrggbb"),
  backgroundColor: nullable(colour, "The colour as #rgb or #rrggbb"),
  welcomeText: nullable(Type.String({ maxLength: 1000 }), "The text above the sign-in form"),
  customCss: nullable(Type.String({ maxLength: 65_536 }), "CSS that is added to theme.css. It may not load anything from elsewhere"),
};

/** Language tags, such as nl or pt-BR. */
const LANGUAGE_TAG = "^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$";

const backgroundStyles = ["glow", "plain", "gradient", "dots"] as const;
const fontFamilies = ["system", "serif", "rounded", "mono"] as const;

/** Further members of branding that only realms have. */
const realmBrandingMembers = {
  backgroundStyle: oneOf(backgroundStyles, {
    default: "glow",
    description: "The background of the page around the card, in colours of the brand",
  }),
  fontFamily: oneOf(fontFamilies, {
    default: "system",
    description: "The font of the pages. All of them are on the visitor's device: pages load no fonts",
  }),
  welcomeTexts: Type.Record(Type.String({ pattern: LANGUAGE_TAG }), Type.String({ minLength: 1, maxLength: 1000 }), {
    default: {},
    maxProperties: 50,
    additionalProperties: false,
    description: "The welcome text by language, such as nl or pt-BR. `welcomeText` is for all other languages",
  }),
  texts: Type.Record(
    Type.String({ pattern: LANGUAGE_TAG }),
    Type.Record(Type.String({ pattern: "^[A-Za-z]{1,64}$" }), Type.String({ minLength: 1, maxLength: 1000 }), {
      additionalProperties: false,
    }),
    {
      default: {},
      maxProperties: 50,
      additionalProperties: false,
      description:
        "The realm's own texts of the pages, by language and name of the text. `GET …/settings/texts/{locale}` lists the names and the default texts",
    },
  ),
  privacyUrl: nullable(httpsAddress, "The privacy statement. Pages link to it at their foot, and to `terms.url` beside it"),
};

/** All members of branding, for a draft. */
export const brandingSchemas = { ...brandingMembers, ...realmBrandingMembers };

const members = {
  realmId: Type.String({ description: "It cannot be changed" }),
  ...brandingMembers,
  ...realmBrandingMembers,
  defaultLocale: oneOf(locales, { default: "en", description: "The language for visitors whose languages are not supported" }),
  sessions: SessionPolicy,
  passwordPolicy: PasswordPolicy,
  bruteForce: BruteForcePolicy,
  rateLimits: RateLimitPolicy,
  totp: TotpPolicy,
  groups: GroupPolicy,
  audit: AuditPolicy,
  messaging: MessagingPolicy,
  tokens: TokenPolicy,
  oidc: OidcPolicy,
  workloads: WorkloadPolicy,
  agents: AgentPolicy,
  saml: SamlPolicy,
  account: AccountPolicy,
  registration: RegistrationPolicy,
  userProfile: UserProfilePolicy,
  passwordReset: PasswordResetPolicy,
  terms: TermsPolicy,
  passkeys: PasskeyPolicy,
  trustedDevices: TrustedDevicePolicy,
  identifierFirst: flag(
    false,
    "Ask for the username on a page of its own, and then for the password, or lead to the identity provider of the username's domain. Applies to every flow that asks for username and password",
  ),
  newDeviceMail: flag(true, "Notify users by mail of a sign-in in a new browser"),
  auditClientLogins: flag(false, "Record every token that a client gets in its own name as an audit event (CLIENT_LOGIN)"),
  clientSecretReveal: flag(true, "Let administrators read a client's secret again. An audit event is recorded each time"),
};

export const Settings = Type.Object(members, { $id: "RealmSettings" });
export type Settings = Static<typeof Settings>;

const optional = (schemas: Record<string, Type.TSchema>): Record<string, Type.TSchema> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, Type.Optional(isGroup(schema) ? group(optional(schema.properties)) : schema)]),
  );
const isGroup = (schema: Type.TSchema): schema is Type.TObject => "properties" in schema;

/** The body of PUT, which is the full state: omitted members return to their defaults. */
export const UpdateSettings = Type.Unsafe<DeepPartial<Settings>>(
  Type.Object(optional(members), { $id: "UpdateRealmSettings", additionalProperties: false }),
);
export type UpdateSettings = DeepPartial<Settings>;
type DeepPartial<T> = { [K in keyof T]?: T[K] extends readonly unknown[] | null ? T[K] : T[K] extends object ? DeepPartial<T[K]> : T[K] };

export type Branding = Pick<Settings, "realmId" | keyof typeof brandingMembers | keyof typeof realmBrandingMembers>;
