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
};

export const examplesOfAuthorization: Readonly<Record<string, unknown>> = {
  AuthzSettings: settings,
  UpdateAuthzSettings: { enabled: true },
  PatchAuthzSettings: { policyEnforcementMode: "PERMISSIVE" },
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
          reason: "unanimous of the permissions that apply",
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
