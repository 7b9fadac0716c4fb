const time = 1_767_225_600_000;
const scope = { name: "view", displayName: "View", iconUri: null, createdAt: time };
const resource = {
  ...{ resourceId: "019b76da-a800-7b1c-9d2e-4f5a6b7c8d9e", name: "/invoices/*", displayName: "Invoices", type: "invoice" },
  ...{ uris: ["/invoices/*"], scopes: ["view"], iconUri: null, owner: null, ownerManagedAccess: false },
  ...{ attributes: { department: ["finance"] }, createdAt: time },
};
const policy = {
  ...{ name: "Staff only", description: null, type: "role", logic: "POSITIVE", decisionStrategy: "UNANIMOUS" },
  ...{ roles: [{ name: "staff", required: false }], createdAt: time },
};
const permission = {
  ...{ name: "Staff view invoices", description: null, type: "scope", decisionStrategy: "UNANIMOUS", resources: ["/invoices/*"] },
  ...{ resourceType: null, scopes: ["view"], policies: ["Staff only"], createdAt: time },
};
const settings = {
  ...{ realmId: "acme", clientId: "019b76da-a800-7c1d-8e2f-3a4b5c6d7e8f", enabled: true, policyEnforcementMode: "ENFORCING" },
  ...{ decisionStrategy: "UNANIMOUS", delegation: "intersect" },
  ...{ allowRemoteResourceManagement: true, subjectSearch: false, decisionLogPercent: 0 },
};
const uma = {
  ...{ _id: resource.resourceId, name: "Album", uris: [], resource_scopes: ["view"], scopes: [{ name: "view" }] },
  ...{ owner: { id: "019b76da-a800-7a1b-8c2d-3e4f5a6b7c8d" }, ownerManagedAccess: true, attributes: {} },
};
const owned = {
  ...{ resourceId: resource.resourceId, clientId: "photos", clientName: "Photos", name: "Album", displayName: null, type: null },
  ...{ iconUri: null, scopes: ["view"], createdAt: time },
};
const share = { shareId: "019b76da-a800-7d1e-9f2a-4b5c6d7e8f9a", user: "grace", scopes: ["view"], createdAt: time };
const shareRequest = { userId: "019b76da-a800-7a1b-8c2d-3e4f5a6b7c8d", user: "ada", scopes: ["view"], createdAt: time };

export const examplesOfAuthorization: Readonly<Record<string, unknown>> = {
  AuthzSettings: settings,
  UpdateAuthzSettings: { enabled: true },
  PatchAuthzSettings: { policyEnforcementMode: "PERMISSIVE" },
  UmaResource: uma,
  UmaTicket: { ticket: "Zm9yIHRoaXMgcmVxdWVzdCBhbG9uZSwgYW5kIG9uY2U" },
  AccessDecision: { decision: true },
  AccessDecisions: { evaluations: [{ decision: true }, { decision: false }] },
  AccessError: { status: 400, message: "resource is needed", requestId: "6f1c2a4e-7b8d-4c3e-9a5f-1d2e3f4a5b6c" },
  FoundSubjects: { results: [{ type: "user", id: "019b76da-a800-7a1b-8c2d-3e4f5a6b7c8d" }], page: { next_token: "" } },
  FoundResources: { results: [{ type: "invoice", id: "/invoices/*" }], page: { next_token: "" } },
  FoundActions: { results: [{ name: "view" }], page: { next_token: "" } },
  AccountResource: owned,
  AccountResourceDetails: { ...owned, shares: [share], requests: [shareRequest] },
  AccountSharedResource: { ...owned, owner: "ada" },
  AccountShare: share,
  AccountShareRequest: shareRequest,
  AuthzScope: scope,
  UpdateAuthzScope: { displayName: "View" },
  PatchAuthzScope: { displayName: "See" },
  AuthzResource: resource,
  UpdateAuthzResource: { uris: ["/invoices/*"], scopes: ["view"] },
  PatchAuthzResource: { type: "invoice" },
  AuthzPolicy: policy,
  UpdateAuthzPolicy: { roles: [{ name: "staff", required: true }] },
  PatchAuthzPolicy: { logic: "NEGATIVE" },
  AuthzPermission: permission,
  UpdateAuthzPermission: { scopes: ["view"], policies: ["Staff only"] },
  PatchAuthzPermission: { decisionStrategy: "AFFIRMATIVE" },
  AuthzEvaluateResponse: {
    status: "PERMIT",
    results: [
      {
        resource: { resourceId: resource.resourceId, name: resource.name, type: "invoice" },
        ...{
          scopes: ["view"],
          status: "PERMIT",
          allowedScopes: ["view"],
          deniedScopes: [],
          reason: "all permissions that apply must permit",
        },
        permissions: [
          {
            ...{ name: permission.name, type: "scope", decisionStrategy: "UNANIMOUS", status: "PERMIT" },
            policies: [{ name: "Staff only", type: "role", logic: "POSITIVE", status: "PERMIT", reason: "the subject holds the roles" }],
          },
        ],
      },
    ],
  },
};
