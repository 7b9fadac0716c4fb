import { examplesOfApplications } from "./examples.applications.ts";
import { examplesOfAuthorization } from "./examples.authorization.ts";
import { examplesOfConsole } from "./examples.console.ts";
import { examplesOfDevices } from "./examples.devices.ts";
import { examplesOfFlows } from "./examples.flows.ts";
import { examplesOfIdentityProviders } from "./examples.identity-providers.ts";
import { examplesOfPatches } from "./examples.patches.ts";
import { examplesOfSaml } from "./examples.saml.ts";
import { examplesOfScimTargets } from "./examples.scim-targets.ts";

/** Examples for named schemas without one. Tests validate each against its schema. */

const time = 1_767_225_600_000;
const userId = "019b76da-a800-7f3c-9d1e-3f5b7c9d1e3f";
const roleId = "019b76da-a800-7a2b-8c4d-5e6f7a8b9c0d";

const realm = { realm: "acme", realmId: "acme", displayName: "Acme", createdAt: time };
const user = {
  realmId: "acme",
  userId,
  username: "ada",
  email: "ada@example.com",
  emailVerified: true,
  enabled: true,
  locked: false,
  mfaEnabled: false,
  roles: ["user"],
  attributes: { firstName: "Ada", lastName: "Lovelace" },
  source: "local",
  createdAt: time,
};
const { realmId: _realm, userId: _user, source: _source, createdAt: _created, mfaEnabled: _mfa, ...userState } = user;
const profile = {
  ...{ realmId: "acme", userId, username: "ada", email: "ada@example.com", emailVerified: true, pendingEmail: null, createdAt: time },
  ...{ firstName: "Ada", lastName: "Lovelace", locale: "en", attributes: { nickname: "Countess" } },
};
const credential = {
  id: "019b76da-a800-7c1d-8e2f-3a4b5c6d7e8f",
  type: "password",
  label: null,
  createdAt: time,
  lastUsedAt: null,
  expiresAt: null,
};
const userImport = {
  importId: "staff-2026-01",
  status: "COMPLETED",
  dryRun: false,
  rows: 3,
  created: 2,
  updated: 0,
  skipped: 0,
  failed: 1,
  errors: [{ row: 3, line: 4, code: "users.login_name_taken", message: "Another user in this realm already signs in by that name" }],
  errorsTruncated: false,
  stopped: null,
  startedAt: time,
  finishedAt: time + 900,
};
const role = {
  realmId: "acme",
  roleId,
  name: "support",
  description: "The help desk",
  default: false,
  compositeRoles: ["reader"],
  compositeClientRoles: [{ clientId: "shop", name: "order" }],
  createdAt: time,
};
const groupId = "019b76da-a805-7c1d-8e2f-3a4b5c6d7e8f";
const group = {
  realmId: "acme",
  groupId,
  name: "Support",
  description: "The help desk",
  parentId: null,
  memberCount: 12,
  roleNames: ["support"],
  createdAt: time,
};
const event = {
  id: "019b76da-a801-7e5d-8f6a-7b8c9d0e1f2a",
  ts: "2026-01-01T00:00:00.000Z",
  kind: "audit",
  category: "ADMIN",
  type: "ADMIN_CREATE",
  realm: "acme",
  actor: "admin",
  actorKind: "user",
  sourceIp: "203.0.113.7",
  resourceType: "users",
  resourceId: userId,
  outcome: "SUCCESS",
  detail: null,
  impersonator: null,
};

const provider = {
  id: "019b76da-a803-7d4e-9f5a-6b7c8d9e0f1a",
  realmId: "acme",
  channel: "EMAIL",
  driver: "smtp",
  enabled: true,
  fromAddress: "no-reply@example.com",
  fromName: "Acme",
  config: { host: "smtp.example.com", port: 587, username: "acme" },
  secret: null,
  secretSet: true,
};
const { id: _provider, realmId: _of, secret: _never, secretSet: _told, ...providerState } = provider;

const template = {
  id: "2f0d3f0e-6f0c-5c55-9d55-5a0f7f3d1b7a",
  realmId: "acme",
  templateKey: "otp-sms",
  channel: "SMS",
  locale: null,
  subject: null,
  body: "{{code}} is your code for {{realm}}. It is valid for {{ttl}}.",
  textBody: null,
  html: false,
  enabled: true,
  isDefault: false,
};
const { id: _template, realmId: _ofTemplate, isDefault: _default, ...templateState } = template;
const pushToken = {
  id: "019b76da-a803-7b2c-8d3e-4f5a6b7c8d9e",
  realmId: "acme",
  userId,
  driver: "fcm",
  token: "…x9Qz",
  deviceName: "Ada's phone",
  createdAt: time,
  lastUsedAt: null,
};

const webhook = {
  id: "019b76da-a803-7c5d-9e6f-8a9b0c1d2e3f",
  realmId: "acme",
  name: "billing",
  url: "https://hooks.example.com/gatehouse",
  secret: null,
  secretSet: true,
  eventTypes: "LOGIN_FAILURE,SECURITY",
  enabled: true,
  createdAt: time,
  previousSecretUntil: null,
};

const consent = {
  ...{ clientId: "shop", scopes: ["openid", "profile"], grantedAt: time, updatedAt: time },
  resources: [{ resource: "https://orders.example.com/mcp", scopes: ["openid", "orders"], grantedAt: time, updatedAt: time }],
};

const verification = {
  method: "dns",
  recordName: "_gatehouse.initech.example",
  recordValue: "gatehouse-domain-verification=3f0c2a7e-6a3b-4f0e-9d6c-1b2a3c4d5e6f",
  missingSince: null,
};
const domain = { domain: "initech.example", verified: true, verification };

const organization = {
  realmId: "acme",
  organizationId: "019b76da-a805-7a1b-8c2d-3e4f5a6b7c8d",
  name: "Initech",
  alias: "initech",
  displayName: "Initech Corporation",
  domains: [domain],
  attributes: { contract: "C-1984" },
  branding: { displayName: null, logoUrl: null, primaryColor: "#0f766e", backgroundColor: null, welcomeText: null, customCss: null },
  identityProvider: null,
  enabled: true,
  memberCount: 12,
  createdAt: time,
};
const { realmId: _in, organizationId, memberCount: _members, createdAt: _founded, ...organizationState } = organization;

export const examples: Readonly<Record<string, unknown>> = {
  ...examplesOfApplications,
  ...examplesOfAuthorization,
  ...examplesOfFlows,
  ...examplesOfSaml,
  ...examplesOfScimTargets,
  ...examplesOfDevices,
  ...examplesOfIdentityProviders,
  ...examplesOfPatches,
  Problem: {
    type: "urn:gatehouse:problem:request.invalid",
    title: "Bad Request",
    status: 400,
    code: "request.invalid",
    detail: "username is required",
    requestId: "019b76da-a802-7b1c-9d2e-3f4a5b6c7d8e",
    errors: [{ field: "username", code: "required", message: "username is required" }],
  },
  Realm: realm,
  CreateRealm: { realm: "acme", displayName: "Acme" },
  CreatedRealm: { ...realm, adminPassword: "shown here and nowhere else" },
  UpdateRealm: { displayName: "Acme International" },
  User: user,
  CreateUser: { username: "ada", email: "ada@example.com", enabled: true },
  UpdateUser: userState,
  Profile: profile,
  UpdateProfile: { ...profile, locale: "nl", attributes: { nickname: "Countess", zoneinfo: "Europe/London" } },
  ChangePassword: { currentPassword: "the password until now", newPassword: "a long and quiet sentence" },
  AccountSession: {
    id: "019b76da-a800-7d2e-9f3a-4b5c6d7e8f90",
    ...{ createdAt: time, authTime: time, lastSeenAt: time, expiresAt: time + 1_800_000, remembered: false, amr: ["pwd"] },
    ...{ sourceIp: "203.0.113.7", userAgent: "Mozilla/5.0", clients: ["shop"], current: true },
  },
  AccountApplication: {
    ...{ protocol: "oidc", clientId: "shop", name: "Web shop", clientUri: "https://shop.example.com/", logoUri: null, firstParty: false },
    link: "https://shop.example.com/",
    ...{
      scopes: ["email", "openid"],
      resources: ["https://orders.example.com/mcp"],
      consentedAt: time,
      active: true,
      offline: false,
      lastUsedAt: time,
    },
  },
  SetPassword: { newPassword: "a long and quiet sentence", temporary: true },
  Credential: credential,
  CreateCredential: { type: "enrollment-token", label: "Ada's phone", expiresIn: 3_600 },
  CreatedCredential: {
    ...credential,
    type: "enrollment-token",
    label: "Ada's phone",
    expiresAt: time + 3_600_000,
    token: "shown here and nowhere else",
  },
  CredentialSetup: {
    type: "passkey",
    options: {
      challenge: "AZt22qgAK5…",
      rp: { id: "id.example.com", name: "Acme" },
      user: { id: "q83v…", name: "ada", displayName: "ada" },
    },
  },
  RenameCredential: { label: "Work laptop" },
  AccountBrowser: {
    ...{ id: "019b76da-a800-7e3f-8a4b-5c6d7e8f9a0b", userAgent: "Mozilla/5.0", createdAt: time, lastSeenAt: time },
    ...{ trustedUntil: time + 2_592_000_000, current: true },
  },
  RequiredActions: ["UPDATE_PASSWORD", "VERIFY_EMAIL"],
  ReplaceRequiredActions: ["VERIFY_EMAIL"],
  AddRequiredAction: { action: "UPDATE_PASSWORD" },
  PasswordSource: { url: "https://old.example.com/check-password", enabled: true, secretSet: true },
  UpdatePasswordSource: { url: "https://old.example.com/check-password", enabled: true, secret: "whsec_c2hvd24gbm93aGVyZSBlbHNl" },
  ImportUser: { username: "ada", email: "ada@example.com", emailVerified: true, roles: ["user"], createdAt: time },
  UserImport: userImport,
  Role: role,
  CreateRole: { name: "support", description: "The help desk" },
  UpdateRole: { name: "support", description: "The help desk, day and night" },
  ClientRoleName: { clientId: "shop", name: "order" },
  AssignRole: { name: "support" },
  RoleMapping: {
    roleId,
    name: "support",
    clientId: null,
    direct: false,
    default: false,
    origins: [{ type: "group", id: groupId, name: "Support" }],
  },
  RoleOrigin: { type: "group", id: groupId, name: "Support" },
  Group: group,
  CreateGroup: { name: "Support", parentId: null },
  UpdateGroup: { name: "Support", description: "The help desk, day and night", parentId: null },
  GroupMember: { userId, username: "ada", email: "ada@example.com", enabled: true, joinedAt: time },
  AddGroupMember: { userId },
  GroupRole: { roleId, name: "support", clientId: null },
  AddGroupRole: { name: "support" },
  AdminRole: { realmId: "acme", roleId, roleName: "support", permissions: ["view-users", "manage-users"] },
  UpdateAdminRole: { permissions: ["view-users", "manage-users"] },
  Permission: { key: "view-users", label: "View users" },
  UpdateRealmSettings: {
    displayName: "Acme",
    primaryColor: "#3e49c3",
    defaultLocale: "nl",
    sessions: { idleMinutes: 15, absoluteHours: 10, rememberMe: true, rememberDays: 30 },
  },
  AuditEvent: event,
  AuditEventPage: { items: [event], total: 1, page: 0, size: 50 },
  AuditEventTail: { items: [event], cursor: "NzM4IDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwMCAxNzY3MjI1NjAwMDAw", more: false },
  ...examplesOfConsole,
  MessagingProvider: provider,
  UpsertMessagingProvider: { ...providerState, secret: "the password of that account" },
  TestMessage: { to: "ada@example.com" },
  TestMessageResult: { sent: true, messageId: "<019b76da-a803-7c5d-8e6f-7a8b9c0d1e2f@example.com>" },
  MessageTemplate: template,
  SaveMessageTemplate: templateState,
  PreviewMessageTemplate: { templateKey: "otp-sms", sample: { code: "123456", ttl: "10 minutes", user: "Ada" } },
  RenderedMessageTemplate: {
    subject: null,
    body: "123456 is your code for Acme. It is valid for 10 minutes.",
    text: "123456 is your code for Acme. It is valid for 10 minutes.",
  },
  PushToken: pushToken,
  RegisterPushToken: { userId, driver: "fcm", token: "the-token-that-the-app-was-given", deviceName: "Ada's phone" },
  Webhook: webhook,
  CreateWebhook: { name: webhook.name, url: webhook.url, eventTypes: webhook.eventTypes, enabled: true, secret: "a long random text" },
  UpdateWebhook: { name: webhook.name, url: webhook.url, eventTypes: "*", enabled: false },
  RotateWebhookSecret: { overlapSeconds: 86_400 },
  RotatedWebhookSecret: {
    ...webhook,
    secret: "whsec_c2hvd24gaGVyZSBhbmQgbm93aGVyZSBlbHNl",
    previousSecretUntil: time + 86_400_000,
  },
  WebhookDelivery: {
    id: "019b76da-a804-7d6e-8f70-8b9c0d1e2f3a",
    webhookId: webhook.id,
    eventId: event.id,
    eventType: event.type,
    status: "DELIVERED",
    attempts: 1,
    nextAttemptAt: null,
    answerStatus: 204,
    answer: null,
    error: null,
    latencyMs: 38,
    createdAt: time,
    endedAt: time + 140,
  },
  WebhookTestResult: { delivered: true, status: 200, latencyMs: 38, answer: "thank you" },
  Organization: organization,
  OrganizationDomain: domain,
  DomainVerification: verification,
  CreateOrganization: { name: "Initech", domains: [{ domain: "initech.example" }] },
  UpdateOrganization: organizationState,
  OrganizationMember: { userId, username: "ada", email: "ada@example.com", enabled: true, role: "owner", joinedAt: time },
  SetOrganizationMember: { role: "owner" },
  Invitation: {
    invitationId: "019b76da-a806-7b2c-9d3e-4f5a6b7c8d9e",
    organizationId,
    email: "grace@example.com",
    role: "member",
    status: "open",
    invitedBy: "ada",
    createdAt: time,
    expiresAt: time + 604_800_000,
    acceptedAt: null,
  },
  SendActionsEmail: { actions: ["UPDATE_PASSWORD"], lifespanSeconds: 43_200 },
  CreateInvitation: { email: "grace@example.com", role: "member", expiresInHours: 168 },
  AcceptInvitationForm: { _csrf: "the value of the cookie XSRF-TOKEN" },
  InvitedAccountForm: {
    _csrf: "the value of the cookie XSRF-TOKEN",
    username: "grace",
    password: "a long and quiet sentence",
    passwordAgain: "a long and quiet sentence",
  },
  AllowedResources: { allowedResources: ["https://api.example.com/"] },
  ServiceAccountRole: { roleId, name: "support", clientId: null },
  LinkForm: {
    ...{ interaction: "019b76da-a805-7e7f-9a81-9c0d1e2f3a4b", step: "1", token: "works-once" },
    _csrf: "the value of the cookie XSRF-TOKEN",
  },
  RegisterForm: {
    ...{ username: "ada", email: "ada@example.com", firstName: "Ada", lastName: "Lovelace" },
    ...{ newPassword: "correct horse battery staple", newPasswordAgain: "correct horse battery staple" },
    _csrf: "the value of the cookie XSRF-TOKEN",
  },
  RegistrationCodeForm: { code: "123456", _csrf: "the value of the cookie XSRF-TOKEN" },
  CreateOwnCredential: { type: "recovery-code" },
  LoginForm: { username: "admin", password: "your password", _csrf: "the value of the cookie XSRF-TOKEN", return_to: "/" },
  Impersonation: {
    sessionId: "019b76da-a805-7e7f-9a81-9c0d1e2f3a4b",
    url: "https://id.example.com/realms/acme/impersonation?ticket=works-once",
    expiresAt: time + 60_000,
  },
  ImpersonationForm: { ticket: "works-once", _csrf: "the value of the cookie XSRF-TOKEN" },
  EndImpersonationForm: { _csrf: "the value of the cookie XSRF-TOKEN" },
  DeviceForm: { user_code: "WDJB-MJHT", decision: "allow", _csrf: "the value of the cookie XSRF-TOKEN" },
  CibaAnswer: { decision: "allow", _csrf: "the value of the cookie XSRF-TOKEN" },
  Consent: consent,
  PersonalData: {
    generatedAt: time,
    schema: "gatehouse.gdpr.export/v1",
    realmId: "acme",
    userId,
    profile: { username: "ada", email: "ada@example.com", enabled: true, createdAt: time },
    attributes: user.attributes,
    roles: ["user"],
    realmMemberships: [{ realmId: "acme", joinedAt: time, groups: [] }],
    organizations: [],
    credentials: [{ type: "password", createdAt: time, lastUsedAt: null }],
    federatedLinks: [],
    directoryEntries: [],
    consents: [consent],
    samlNameIds: [{ entityId: "https://wiki.example/saml/metadata", nameId: "_4f1c2b9a7d3e5f60718293a4b5c6d7e8f9012345", createdAt: time }],
    provisioned: {
      externalIds: [{ connection: "entra", externalId: "00u1" }],
      attributes: [{ addresses: [{ type: "work", locality: "London" }] }],
      targets: [{ target: "aws", remoteId: "9067729b3d-94f1e0b3", sentAt: time }],
    },
    knownBrowsers: [{ userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0", createdAt: time, lastSeenAt: time, trustedUntil: null }],
    acceptedTerms: [{ version: "2026-01", acceptedAt: time }],
    transactions: [],
    ownedResources: [],
    ownedAgents: [],
    sharedResources: [],
    loginEvents: [
      { id: event.id, ts: "2026-11-15T09:30:00.000Z", type: "LOGIN_SUCCESS", outcome: "SUCCESS", sourceIp: "203.0.113.7", detail: null },
    ],
  },
  LogoutForm: { _csrf: "the value of the cookie XSRF-TOKEN" },
};
