// The bare engine: `oidc-provider` on Node's own HTTP server, with everything in memory, and opaque access tokens except for one resource.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const secret = "bench-Client-secret-1";
const API = "https://api.bench.example";
const jwk = (/** @type {import("node:crypto").KeyObject} */ key, /** @type {string} */ alg) => ({
  ...key.export({ format: "jwk" }),
  alg,
  use: "sig",
  kid: alg,
});
const keys = [
  jwk(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey, "RS256"),
  jwk(generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey, "ES256"),
];
const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(undefined)));
const origin = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;

const provider = new Provider(origin, {
  jwks: { keys },
  clients: [
    {
      client_id: "machine",
      client_secret: secret,
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: [],
      scope: "read",
    },
    { client_id: "web", client_secret: secret, redirect_uris: ["https://app.example/cb"] },
  ],
  scopes: ["openid", "profile", "email", "read"],
  claims: { openid: ["sub"], profile: ["name", "given_name", "family_name", "preferred_username"], email: ["email", "email_verified"] },
  findAccount: (_ctx, id) => ({
    accountId: id,
    claims: async () => ({
      sub: id,
      name: "Ada Bench",
      given_name: "Ada",
      family_name: "Bench",
      preferred_username: "ada",
      email: "ada@example.com",
      email_verified: false,
    }),
  }),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({ scope: "read", audience: API, accessTokenFormat: "jwt", jwt: { sign: { alg: "ES256" } } }),
      defaultResource: (_ctx, client) => (client.clientId === "machine" ? API : []),
      useGrantedResource: () => false,
    },
  },
});
server.on("request", provider.callback());

/** Creates a user's token like that of a code. */
async function userToken() {
  const client = /** @type {import("oidc-provider").Client} */ (await provider.Client.find("web"));
  const scope = "openid profile email";
  const grant = new provider.Grant({ accountId: "ada", clientId: "web" });
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  return new provider.AccessToken({ client, accountId: "ada", grantId, scope, gty: "authorization_code" }).save();
}

process.on("SIGTERM", () => {
  server.close();
  server.closeAllConnections();
  process.disconnect();
});
process.send?.({ ready: true });
process.on("message", async () => process.send?.({ origin, secret, accessToken: await userToken() }));
