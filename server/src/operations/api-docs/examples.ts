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
  LoginForm: { username: "admin", password: "your password", _csrf: "the value of the cookie XSRF-TOKEN", return_to: "/" },
  LogoutForm: { _csrf: "the value of the cookie XSRF-TOKEN" },
};
