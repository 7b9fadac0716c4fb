import { completeSettings } from "../../applications/clients/index.ts";

const time = 1_767_225_600_000;

const client = {
  id: "019b76da-a807-7c3d-8e4f-5a6b7c8d9e0f",
  realmId: "acme",
  clientId: "shop",
  name: "Web shop",
  enabled: true,
  publicClient: false,
  ...completeSettings(
    {
      grantTypes: ["authorization_code", "refresh_token", "client_credentials"],
      redirectUris: ["https://shop.example.com/callback"],
      webOrigins: ["+"],
      postLogoutRedirectUris: ["https://shop.example.com/"],
      firstParty: true,
      requirePkce: true,
      accessTokenLifetime: 600,
      contacts: ["shop@example.com"],
      allowedRoles: ["staff"],
    },
    false,
  ),
  agentId: null,
  createdAt: time,
  updatedAt: time,
};
const clientMapper = {
  mapperId: "019b76da-a807-7e5f-9a6b-7c8d9e0f1a2b",
  name: "department",
  claim: "department",
  source: "attribute",
  value: "department",
  type: "string",
  multivalued: false,
  targets: ["idToken", "userinfo"],
  createdAt: time,
};
const workloadState = {
  name: "deploy of the shop",
  issuer: "https://token.actions.githubusercontent.com",
  subject: "repo:acme/shop:ref:refs/heads/main",
  conditions: { event_name: ["push", "workflow_dispatch"] },
  audience: "https://id.example.com/realms/acme",
  clientId: "shop",
  scopes: "roles",
};
const workloadCredential = {
  ...{ id: "019b76da-a807-7a1b-8c2d-3e4f5a6b7c8d", realmId: "acme", jwksUri: null, jwks: null, subjectClaim: "sub" },
  ...{ maxTokenSeconds: 3_600, singleUse: false, enabled: true, createdAt: time },
  ...workloadState,
};
const agentState = {
  name: "Invoice assistant",
  description: "Reads invoices and prepares payments",
  ownerUserId: "019b76da-a807-7a1b-8c2d-3e4f5a6b7c01",
  clientId: "invoices",
  scopes: ["orders:read"],
  expiresAt: null,
};
const agent = {
  ...{ id: "019b76da-a807-7a1b-8c2d-3e4f5a6b7c9e", realmId: "acme", ...agentState, status: "ACTIVE", createdAt: time },
  ...{ activatedAt: time, lastUsedAt: null, lastReviewedAt: null, reviewDueAt: time + 90 * 86_400_000 },
};
const application = {
  realmId: "acme",
  name: "shop",
  protocol: "oidc",
  clientRef: "019b76da-a806-7d4e-8f5a-6b7c8d9e0f1b",
  template: "web",
  displayName: "The shop",
  enabled: true,
  description: null,
  redirectUris: ["https://shop.example.com/callback"],
  postLogoutRedirectUris: ["https://shop.example.com/"],
  webOrigins: [],
  scopes: [],
  clientUri: "https://shop.example.com/",
  logoUri: null,
  entityId: null,
  assertionConsumerServiceUrl: null,
  singleLogoutServiceUrl: null,
  createdAt: time,
};
const claimMapper = {
  realmId: "acme",
  claimId: "019b76da-a806-7b2c-9d3e-4f5a6b7c8d9e",
  name: "department",
  claim: "department",
  source: "attribute",
  value: "department",
  type: "string",
  multivalued: false,
  targets: ["idToken", "userinfo"],
  scopes: ["staff"],
  createdAt: time,
};
const { realmId: _mappedIn, claimId, scopes: _bring, createdAt: _mappedAt, ...claimState } = claimMapper;
const clientScope = {
  realmId: "acme",
  scopeId: "019b76da-a806-7a1b-8c2d-3e4f5a6b7c8e",
  name: "staff",
  description: "The user's place of work",
  consentText: "See which department you work in",
  assignment: "OPTIONAL",
  builtIn: false,
  claims: [{ claimId, name: "department" }],
  createdAt: time,
};
const provisioning = {
  registration: {
    enabled: true,
    requireInitialAccessToken: true,
    allowedGrantTypes: ["authorization_code", "refresh_token"],
    allowedResponseTypes: ["code"],
    allowedRedirectHosts: ["*.example.com"],
    allowedAuthMethods: ["client_secret_basic", "private_key_jwt", "none"],
    requireConsent: true,
    metadataDocuments: false,
  },
  scim: { enabled: false },
};
const initialAccessToken = {
  id: "019b76da-a807-7e5f-8061-7c8d9e0f1a2b",
  name: "The build server",
  remaining: 5,
  createdAt: time,
  expiresAt: time + 86_400_000,
};
const registration = {
  client_name: "Web shop",
  redirect_uris: ["https://shop.example.com/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "client_secret_basic",
};
const { id: _client, realmId: _ofClient, clientId: _oauth, createdAt: _registered, updatedAt: _changed, ...clientState } = client;
const { mapperId: _mapper, createdAt: _added, ...clientMapperState } = clientMapper;

const scimToken = {
  id: "019b76da-a807-7c3d-8e4f-5a6b7c8d9e0f",
  name: "entra",
  connection: "entra",
  permissions: ["view-users", "manage-users", "manage-organizations"],
  organizationId: null,
  identityProvider: null,
  trustEmails: true,
  expiresAt: null,
  url: "https://id.example.com/realms/acme/scim/v2",
  createdAt: time,
  lastUsedAt: null,
};

/** Examples of clients, scopes, claims, applications and registration. */
export const examplesOfApplications: Readonly<Record<string, unknown>> = {
  Application: application,
  CreatedApplication: { ...application, secret: "shown here and nowhere else" },
  CreateApplication: { name: "shop", template: "web", redirectUris: ["https://shop.example.com/callback"] },
  UpdateApplication: { displayName: "The shop", enabled: true, redirectUris: ["https://shop.example.com/callback"] },
  ClientScope: clientScope,
  ClientScopeClaim: { claimId, name: "department" },
  CreateClientScope: { name: "staff", consentText: "See which department you work in" },
  UpdateClientScope: { description: "The user's place of work", consentText: null, assignment: "DEFAULT" },
  ClaimMapper: claimMapper,
  CreateClaimMapper: claimState,
  UpdateClaimMapper: { ...claimState, targets: ["idToken", "accessToken", "userinfo"] },
  SubjectClaim: { strategy: "attribute", attribute: "employeeNumber" },
  UpdateSubjectClaim: { strategy: "attribute", attribute: "employeeNumber" },
  Client: client,
  CreatedClient: { ...client, secret: "shown here and nowhere else" },
  UpdatedClient: { ...client, secret: "shown here and nowhere else" },
  CreateClient: { clientId: "shop", name: "Web shop", redirectUris: client.redirectUris, webOrigins: ["+"] },
  UpdateClient: clientState,
  ClientSecret: { secret: "the-new-secret-of-43-letters", previousSecretUntil: time + 3_600_000 },
  RegenerateClientSecret: { overlapSeconds: 3_600 },
  ClientMapper: clientMapper,
  CreateClientMapper: clientMapperState,
  UpdateClientMapper: { ...clientMapperState, multivalued: true },
  Agent: agent,
  CreateAgent: agentState,
  UpdateAgent: agentState,
  WorkloadCredential: workloadCredential,
  CreateWorkloadCredential: workloadState,
  UpdateWorkloadCredential: { ...workloadState, enabled: true },
  DelegationTokens: {
    access_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln",
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: 300,
    scope: "orders:read",
  },
  WorkloadTokens: {
    access_token: "eyJhbGciOiJSUzI1NiIsInR5cCI6ImF0K2p3dCJ9.e30.c2ln",
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: 300,
    scope: "orders:write",
  },
  Provisioning: provisioning,
  UpdateProvisioning: { registration: { requireInitialAccessToken: true, allowedRedirectHosts: ["*.example.com"] } },
  InitialAccessToken: initialAccessToken,
  CreatedInitialAccessToken: { ...initialAccessToken, token: "shown-here-and-nowhere-else" },
  CreateInitialAccessToken: { count: 5, lifetime: 86_400, name: "The build server" },
  ScimToken: scimToken,
  CreatedScimToken: { ...scimToken, token: "ghscim_shown-here-and-nowhere-else" },
  CreateScimToken: { name: "entra", permissions: scimToken.permissions, trustEmails: true },
  RegistrationRequest: registration,
  RegistrationUpdate: { client_id: "019b76da-a807-7d4e-9f50-6b7c8d9e0f1a", ...registration },
  RegisteredClient: {
    client_id: "019b76da-a807-7d4e-9f50-6b7c8d9e0f1a",
    client_secret: "the-secret-of-43-letters",
    client_secret_expires_at: 0,
    client_id_issued_at: time / 1000,
    registration_access_token: "for-the-next-request",
    registration_client_uri: "https://id.example.com/realms/acme/connect/register/019b76da-a807-7c3d-8e4f-5a6b7c8d9e0f",
    ...registration,
    response_types: ["code"],
    subject_type: "public",
  },
  RegistrationProblem: { error: "invalid_redirect_uri", error_description: "redirect_uris.0 must not have a fragment (#)" },
};
