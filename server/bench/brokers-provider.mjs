// A bare OpenID provider in its own process, so that its work does not count as the server's. It signs when a code is made, before the
// measurement: signatures on the same two cores, instead of on another machine, made the server a fifth slower.
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { exportJWK, SignJWT } from "jose";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const keys = [{ ...(await exportJWK(publicKey)), kid: "bench", alg: "RS256", use: "sig" }];

/** @typedef {{ sub: string, nonce: string, hangs: boolean }} Person The user who signs in, and whether the token endpoint never answers. */

const profile = (/** @type {string} */ sub) => ({
  ...{ sub, preferred_username: sub, given_name: "Ada", family_name: "Bench" },
  ...{ email: `${sub}@example.com`, email_verified: true },
});

/** @param {Person} person */
const tokensFor = async ({ sub, nonce }) => ({
  access_token: Buffer.from(sub).toString("base64url"),
  token_type: "Bearer",
  expires_in: 300,
  id_token: await new SignJWT({ ...profile(sub), nonce, sid: `session-${sub}` })
    .setProtectedHeader({ alg: "RS256", kid: "bench" })
    .setIssuer(origin)
    .setAudience("gatehouse")
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(privateKey),
});

/** The token endpoint's answers by code. Each is used once. @type {Map<string, object | null>} */
const answers = new Map();

/** Returns null if the request gets no answer. @param {import("node:http").IncomingMessage} request */
async function answerTo(request) {
  switch (request.url) {
    case "/.well-known/openid-configuration":
      return {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        userinfo_endpoint: `${origin}/userinfo`,
        jwks_uri: `${origin}/jwks`,
        authorization_response_iss_parameter_supported: true,
      };
    case "/jwks":
      return { keys };
    case "/code": {
      /** @type {Person} */
      const person = JSON.parse(await text(request));
      const code = randomUUID();
      answers.set(code, person.hangs ? null : await tokensFor(person));
      return { code };
    }
    case "/token": {
      const code = new URLSearchParams(await text(request)).get("code") ?? "";
      const answer = answers.get(code) ?? null;
      answers.delete(code);
      return answer;
    }
    default:
      return profile(Buffer.from((request.headers.authorization ?? "").slice("Bearer ".length), "base64url").toString());
  }
}

const server = createServer(async (request, response) => {
  const answer = await answerTo(request);
  if (answer) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", () => listening(undefined)));
const origin = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (server.address()).port}`;
process.on("SIGTERM", () => process.exit(0));
process.on("message", () => process.send?.({ origin }));
process.send?.({ ready: true });
