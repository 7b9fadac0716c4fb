// Runs plain oidc-provider on loopback https. openid-provider.mjs starts it.
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import { parentPort, workerData } from "node:worker_threads";
import { Provider } from "oidc-provider";

const HOUR = 3_600;

/** @param {"rsa" | "ec"} type */
function newKey(type) {
  const { privateKey } =
    type === "rsa" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { ...privateKey.export({ format: "jwk" }), use: "sig", alg: type === "rsa" ? "RS256" : "ES256", kid: randomUUID() };
}

/** @type {import("./openid-provider.mjs").OpenidProviderOptions} */
const { host, identity, clients, people, reach } = workerData;
let keys = [newKey("rsa"), newKey("ec")];
/** @type {ReturnType<Provider["callback"]>} */
let answer;
/** @type {Provider} */
let provider;
const server = createServer({ ...identity }, async (request, response) => {
  const [, uid] = /^\/interaction\/([\w-]+)$/.exec(request.url ?? "") ?? [];
  if (uid === undefined) return answer(request, response);
  if (request.method === "GET")
    return response
      .writeHead(200, { "content-type": "text/html" })
      .end('<form method="post"><input name="login"><input name="password" type="password"></form>');
  let body = "";
  for await (const chunk of request) body += chunk;
  const login = new URLSearchParams(body).get("login");
  const result = login === null ? { error: "access_denied" } : { login: { accountId: login } };
  return provider.interactionFinished(request, response, result);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
const issuer = `https://${host}:${port}`;

const open = () => {
  provider = new Provider(issuer, {
    clients,
    jwks: { keys },
    cookies: { keys: ["a key for the cookies of tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["given_name", "family_name", "preferred_username"] },
    // Its clients belong to the same company, so it asks for no consent.
    async loadExistingGrant({ oidc }) {
      const { session, client } = oidc;
      if (!session?.accountId || !client) return undefined;
      const grant = new provider.Grant({ accountId: session.accountId, clientId: client.clientId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
    findAccount: (_context, sub) => (people[sub] ? { accountId: sub, claims: () => ({ sub, ...people[sub] }) } : undefined),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        logoutSource: (context, form) => {
          context.body = `${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
        },
      },
    },
    ttl: { AccessToken: HOUR, IdToken: HOUR, Grant: HOUR, Interaction: HOUR, Session: HOUR },
    // Its clients are on this machine, which its own dispatcher would refuse.
    fetch: (url, init) =>
      globalThis.fetch(new URL(new URL(String(url)).pathname, reach), /** @type {any} */ ({ ...init, dispatcher: undefined })),
  });
  provider.on("server_error", (_context, error) => console.error(error));
  provider.on("backchannel.error", (_context, error) => console.error(error));
  answer = provider.callback();
};
open();

parentPort?.on("message", () => {
  // Replaces the keys by new ones. Sessions stay.
  keys = [newKey("rsa"), newKey("ec")];
  open();
  parentPort?.postMessage({ issuer, port });
});
parentPort?.postMessage({ issuer, port });
