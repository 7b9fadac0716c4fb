// Signs one user in repeatedly in a live session: by SAML, and by OpenID Connect for comparison.
import { createSign, randomBytes } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { Pool } from "undici";
import { serveSlices } from "./slices.mjs";

/** @typedef {{ origin: string, issuer: string, realm: string, cookie: string, webSecret: string, connections: number, plain: string, signed: string, privateKey: string }} Target */

/** @type {Target} */
const target = JSON.parse(process.argv[2] ?? "{}");
const { origin, issuer, realm, cookie, webSecret, connections, privateKey } = target;
const pool = new Pool(origin, { connections, pipelining: 1 });
const REDIRECT = "https://app.example/cb";
const SIG_ALG = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";

/** @param {import("undici").Dispatcher.RequestOptions} request @param {number} expected */
async function send(request, expected) {
  const { statusCode, headers, body } = await pool.request(request);
  const text = await body.text();
  if (statusCode !== expected) throw new Error(`${request.method} ${request.path} answered ${statusCode}: ${text.slice(0, 300)}`);
  return { headers, text };
}

const authorize = new URLSearchParams({
  client_id: "web",
  redirect_uri: REDIRECT,
  response_type: "code",
  scope: "openid profile email",
  state: "s",
});

/** Sends two requests: for a code, and for its tokens. */
async function byOidc() {
  const { headers } = await send({ method: "GET", path: `/realms/${realm}/authorize?${authorize}`, headers: { cookie } }, 303);
  const code = new URL(String(headers.location)).searchParams.get("code") ?? "";
  await send(
    {
      method: "POST",
      path: `/realms/${realm}/token`,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        authorization: `Basic ${Buffer.from(`web:${webSecret}`).toString("base64")}`,
      },
      body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: REDIRECT }).toString(),
    },
    200,
  );
}

/** Sends an AuthnRequest by the Redirect binding, which the page that posts the Response answers. @param {string} entityId @param {boolean} isSigned */
async function bySaml(entityId, isSigned) {
  const xml = `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_${randomBytes(20).toString("hex")}" Version="2.0" IssueInstant="${new Date().toISOString()}" Destination="${issuer}/saml/idp/sso"><saml:Issuer>${entityId}</saml:Issuer></samlp:AuthnRequest>`;
  let query = `SAMLRequest=${encodeURIComponent(deflateRawSync(xml).toString("base64"))}`;
  if (isSigned) {
    query += `&SigAlg=${encodeURIComponent(SIG_ALG)}`;
    query += `&Signature=${encodeURIComponent(createSign("RSA-SHA256").update(query).sign(privateKey, "base64"))}`;
  }
  const { text } = await send({ method: "GET", path: `/realms/${realm}/saml/idp/sso?${query}`, headers: { cookie } }, 200);
  if (!text.includes("SAMLResponse")) throw new Error(`no response: ${text.slice(0, 300)}`);
}

serveSlices({
  "oidc-live": { atOnce: connections, once: byOidc },
  "saml-live": { atOnce: connections, once: () => bySaml(target.plain, false) },
  "saml-live-signed": { atOnce: connections, once: () => bySaml(target.signed, true) },
  "saml-live-hundred": { atOnce: connections, once: () => bySaml(target.plain, false) },
});
