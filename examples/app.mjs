// A small web application that signs users in with OpenID Connect: authorization code with PKCE, by openid-client.
//   node examples/app.mjs http://localhost:3000 http://localhost:8080/realms/acme app
import { createServer } from "node:http";
import * as oidc from "openid-client";

const [own, issuer, clientId] = process.argv.slice(2);
if (!own || !issuer || !clientId) {
  console.error("Usage: node examples/app.mjs OWN_URL ISSUER CLIENT_ID");
  process.exit(2);
}
const redirectUri = `${own}/callback`;
// Plain http is for trials on one machine. Remove this option for a real issuer, which has https.
const provider = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), { execute: [oidc.allowInsecureRequests] });
/** Sign-ins that have begun, by their state. A real application keeps them in its own session. */
const pending = new Map();

const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const page = (reply, status, body) =>
  reply
    .writeHead(status, { "content-type": "text/html; charset=utf-8" })
    .end(`<!doctype html><html lang="en"><title>Sample application</title><body style="font: 1.2rem sans-serif; margin: 3rem">${body}`);

async function signIn(reply) {
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  pending.set(state, { verifier, nonce });
  const to = oidc.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope: "openid profile email",
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  reply.writeHead(303, { location: to.href, "set-cookie": `state=${state}; HttpOnly; SameSite=Lax; Path=/` }).end();
}

async function callback(request, reply) {
  const state = /(?:^|; )state=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
  const begun = pending.get(state);
  if (!begun) return page(reply, 400, '<p>This sign-in was not begun here.</p><p><a href="/">Start again</a></p>');
  pending.delete(state);
  const tokens = await oidc.authorizationCodeGrant(provider, new URL(request.url, own), {
    pkceCodeVerifier: begun.verifier,
    expectedState: state,
    expectedNonce: begun.nonce,
  });
  const { sub } = tokens.claims();
  const user = await oidc.fetchUserInfo(provider, tokens.access_token, sub);
  page(
    reply,
    200,
    `<h1>Hello ${escapeHtml(user.name ?? user.preferred_username)}</h1><p>Your address is ${escapeHtml(user.email ?? "not known")}.</p>`,
  );
}

createServer(async (request, reply) => {
  try {
    const { pathname } = new URL(request.url, own);
    if (pathname === "/") page(reply, 200, '<h1>Sample application</h1><p><a href="/login">Sign in</a></p>');
    else if (pathname === "/login") await signIn(reply);
    else if (pathname === "/callback") await callback(request, reply);
    else page(reply, 404, "<p>There is no such page.</p>");
  } catch (error) {
    page(reply, 500, `<p>Signing in failed: ${escapeHtml(error.message)}</p><p><a href="/">Start again</a></p>`);
  }
}).listen(new URL(own).port, "localhost", () => console.log(`Open ${own}`));
