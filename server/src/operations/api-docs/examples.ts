/** An example for each named schema that brings none of its own. Tests hold every one of them against its schema. */

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
  createdAt: time,
};
const { realmId: _realm, userId: _user, createdAt: _created, mfaEnabled: _mfa, ...userState } = user;
const role = { realmId: "acme", roleId, name: "support", description: "The help desk", default: false, createdAt: time };
const event = {
  id: "019b76da-a801-7e5d-8f6a-7b8c9d0e1f2a",
  ts: "2026-01-01T00:00:00.000Z",
  kind: "audit",
  category: "ADMIN",
  type: "ADMIN_CREATE",
  realm: "acme",
  actor: "admin",
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

export const examples: Readonly<Record<string, unknown>> = {
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
  SetPassword: { newPassword: "a long and quiet sentence" },
  Role: role,
  CreateRole: { name: "support", description: "The help desk" },
  UpdateRole: { name: "support", description: "The help desk, day and night" },
  AssignRole: { name: "support" },
  RoleMapping: { roleId, name: "support" },
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
  LoginForm: { username: "admin", password: "your password", _csrf: "the value of the cookie XSRF-TOKEN", return_to: "/" },
  LogoutForm: { _csrf: "the value of the cookie XSRF-TOKEN" },
};
