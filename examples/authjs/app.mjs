// Auth.js signs users in. @auth/express, @auth/sveltekit and next-auth take the same `providers`; this example uses their common core.
//   CLIENT_SECRET=… node examples/authjs/app.mjs http://localhost:3000 http://localhost:8080/realms/acme authjs
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { Auth } from "@auth/core";

const [own, issuer, clientId] = process.argv.slice(2);
const clientSecret = process.env.CLIENT_SECRET;
if (!own || !issuer || !clientId || !clientSecret) {
  console.error("Usage: CLIENT_SECRET=… node examples/authjs/app.mjs OWN_URL ISSUER CLIENT_ID");
  process.exit(2);
}
const config = {
  basePath: "/auth",
  trustHost: true,
  // This secret signs its own cookies. A real application keeps it in AUTH_SECRET.
  secret: process.env.AUTH_SECRET ?? randomBytes(32).toString("base64"),
  providers: [{ id: "gatehouse", name: "Gatehouse", type: "oidc", issuer, clientId, clientSecret }],
};

const escapeHtml = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const page = (body) => `<!doctype html><html lang="en"><title>Auth.js</title><body style="font: 1.2rem sans-serif; margin: 3rem">${body}`;
const ask = (path, cookie) => Auth(new Request(`${own}/auth/${path}`, { headers: { cookie } }), config);

/** A form with the button of Auth.js, and its CSRF token. */
async function home(cookie) {
  const { user } = (await (await ask("session", cookie)).json()) ?? {};
  const csrf = await ask("csrf", cookie);
  const form = (action, label) =>
    `<form method="post" action="/auth/${action}"><input type="hidden" name="csrfToken" value="${token}">` +
    `<input type="hidden" name="callbackUrl" value="/"><button>${label}</button></form>`;
  const { csrfToken: token } = await csrf.json();
  const body = user
    ? `<h1>Hello ${escapeHtml(user.name)}</h1><p>Your address is ${escapeHtml(user.email ?? "not known")}.</p>${form("signout", "Sign out")}`
    : `<h1>Auth.js application</h1>${form("signin/gatehouse", "Sign in")}`;
  return new Response(page(body), { headers: [["content-type", "text/html; charset=utf-8"], ...cookiesOf(csrf)] });
}
const cookiesOf = ({ headers }) => headers.getSetCookie().map((value) => ["set-cookie", value]);

createServer(async (incoming, reply) => {
  const { pathname } = new URL(incoming.url, own);
  const hasBody = incoming.method === "POST";
  const request = new Request(new URL(incoming.url, own), {
    method: incoming.method,
    headers: Object.entries(incoming.headers).filter(([, value]) => typeof value === "string"),
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: "half" }),
  });
  const answer = pathname === "/" ? await home(request.headers.get("cookie") ?? "") : await Auth(request, config);
  const headers = [...answer.headers].filter(([name]) => name !== "set-cookie");
  reply.writeHead(answer.status, [...headers, ...cookiesOf(answer)].flat());
  reply.end(Buffer.from(await answer.arrayBuffer()));
}).listen(new URL(own).port, "localhost", () => console.log(`Open ${own}`));
