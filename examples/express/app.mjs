// An Express application that signs users in: openid-client, a confidential client, and its own session.
//   CLIENT_SECRET=… node examples/express/app.mjs http://localhost:3000 http://localhost:8080/realms/acme express
import { randomUUID } from "node:crypto";
import express from "express";
import * as oidc from "openid-client";

const [own, issuer, clientId] = process.argv.slice(2);
const secret = process.env.CLIENT_SECRET;
if (!own || !issuer || !clientId || !secret) {
  console.error("Usage: CLIENT_SECRET=… node examples/express/app.mjs OWN_URL ISSUER CLIENT_ID");
  process.exit(2);
}
// Plain http is for trials on one machine. Remove this option for a real issuer, which has https.
const provider = await oidc.discovery(new URL(issuer), clientId, secret, undefined, { execute: [oidc.allowInsecureRequests] });

/** By the value of a cookie. A real application has express-session and a store of its own. */
const sessions = new Map();
const cookie = (id) => `session=${id}; HttpOnly; SameSite=Lax; Path=/`;
const idOf = (request) => /(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const page = (body) => `<!doctype html><html lang="en"><title>Express</title><body style="font: 1.2rem sans-serif; margin: 3rem">${body}`;

const app = express();

app.get("/", (request, reply) => {
  const user = sessions.get(idOf(request))?.user;
  if (!user) return reply.send(page('<h1>Express application</h1><p><a href="/login">Sign in</a></p>'));
  reply.send(
    page(`<h1>Hello ${escapeHtml(user.name ?? user.preferred_username)}</h1><p>Your address is ${escapeHtml(user.email ?? "not known")}.</p>
      <p><a href="/logout">Sign out</a></p>`),
  );
});

app.get("/login", async (_request, reply) => {
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const id = randomUUID();
  sessions.set(id, { begun: { verifier, state, nonce } });
  const to = oidc.buildAuthorizationUrl(provider, {
    redirect_uri: `${own}/callback`,
    scope: "openid profile email",
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  reply.set("set-cookie", cookie(id)).redirect(303, to.href);
});

app.get("/callback", async (request, reply) => {
  const begun = sessions.get(idOf(request))?.begun;
  if (!begun) return reply.status(400).send(page('<p>This sign-in was not begun here.</p><p><a href="/login">Start again</a></p>'));
  sessions.delete(idOf(request));
  const tokens = await oidc.authorizationCodeGrant(provider, new URL(request.originalUrl, own), {
    pkceCodeVerifier: begun.verifier,
    expectedState: begun.state,
    expectedNonce: begun.nonce,
  });
  const user = await oidc.fetchUserInfo(provider, tokens.access_token, tokens.claims().sub);
  // The session gets a new id at the sign-in, so nobody can have set it before.
  const id = randomUUID();
  sessions.set(id, { user, idToken: tokens.id_token });
  reply.set("set-cookie", cookie(id)).redirect(303, "/");
});

app.get("/logout", (request, reply) => {
  const { idToken } = sessions.get(idOf(request)) ?? {};
  sessions.delete(idOf(request));
  const to = oidc.buildEndSessionUrl(provider, { post_logout_redirect_uri: `${own}/`, ...(idToken && { id_token_hint: idToken }) });
  reply.redirect(303, to.href);
});

app.use((error, _request, reply, _next) => {
  reply.status(500).send(page(`<p>Signing in failed: ${escapeHtml(error.message)}</p><p><a href="/">Start again</a></p>`));
});

app.listen(Number(new URL(own).port), "localhost", () => console.log(`Open ${own}`));
