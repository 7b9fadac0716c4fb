const time = 1_767_225_600_000;
const config = { issuer: "https://login.example.com", clientId: "gatehouse", trustEmail: true };
const provider = { alias: "corporate", protocol: "oidc", displayName: "Corporate account", enabled: true };
const mapper = { name: "Sales staff", type: "role", claim: "groups", value: "sales", role: "sales", sync: "force" };

export const examplesOfIdentityProviders: Readonly<Record<string, unknown>> = {
  IdentityProvider: { realmId: "acme", ...provider, config: { ...config, provisioning: "create", clientSecretSet: true } },
  CreateIdentityProvider: { ...provider, config: { ...config, clientSecret: "the secret that the provider gave" } },
  UpdateIdentityProvider: { ...provider, config },
  PatchIdentityProvider: { displayName: "Company account", config: { order: 1 } },
  IdentityProviderTest: {
    ok: true,
    checks: [
      { name: "discovery", ok: true, message: "login.example.com published its discovery document." },
      { name: "keys", ok: true, message: "login.example.com published 2 keys." },
      { name: "token endpoint", ok: true, message: "login.example.com answers." },
    ],
  },
  LinkedAccount: {
    ...{ alias: "corporate", displayName: "Corporate account", protocol: "oidc", subject: "248289761001", username: "ada" },
    ...{ linkedAt: time, lastUsedAt: time, enabled: true, tokensKept: false },
  },
  IdentityProviderMapper: { mapperId: "019b76da-a80a-7c3d-8e4f-5a6b7c8d9e0f", ...mapper, createdAt: time },
  CreateIdentityProviderMapper: mapper,
  UpdateIdentityProviderMapper: mapper,
  PatchIdentityProviderMapper: { value: "sales-emea" },
};
