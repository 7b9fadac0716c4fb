// Serves the single-page application of this folder, without a bundler.
//   node examples/spa/serve.mjs http://localhost:5173 http://localhost:8080/realms/acme spa
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const [own, authority, client_id] = process.argv.slice(2);
if (!own || !authority || !client_id) {
  console.error("Usage: node examples/spa/serve.mjs OWN_URL ISSUER CLIENT_ID");
  process.exit(2);
}
/** The module of a package, as a bundler would find it. */
const packaged = (name) => readFileSync(new URL(import.meta.resolve(name)));
const script = "text/javascript; charset=utf-8";
const files = {
  "/": ["text/html; charset=utf-8", readFileSync(new URL("index.html", import.meta.url))],
  "/main.js": [script, readFileSync(new URL("main.js", import.meta.url))],
  "/config.json": ["application/json", JSON.stringify({ authority, client_id })],
  "/packages/oidc-client-ts": [script, packaged("oidc-client-ts")],
  "/packages/jwt-decode": [script, packaged("jwt-decode")],
};

createServer((request, reply) => {
  const [type, body] = files[new URL(request.url, own).pathname] ?? [];
  if (type === undefined) reply.writeHead(404).end();
  else reply.writeHead(200, { "content-type": type }).end(body);
}).listen(new URL(own).port, "localhost", () => console.log(`Open ${own}`));
