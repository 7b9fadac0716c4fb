// An API that asks authorization services for its decisions in three ways. It has no dependencies:
//
//   node examples/protected-api.mjs http://localhost:3001 http://localhost:8080/realms/acme api <secret>
//
// GET /invoices with `Authorization: Bearer <a user's access token>`, and `?by=` one of
//   authzen   (default) asks with AuthZEN, in the API's own name, about the user of the token
//   decision  presents the user's token to the uma-ticket grant and asks for a decision
//   token     takes a requesting party token (RPT), which has the permissions in it, and reads it by introspection
import { createServer } from "node:http";

const [own, issuer, clientId, secret] = process.argv.slice(2);
if (!secret) throw new Error("usage: node examples/protected-api.mjs <own address> <issuer> <client id> <client secret>");
const RESOURCE = { type: "invoice", name: "/invoices/*", scope: "view" };
const UMA = "urn:ietf:params:oauth:grant-type:uma-ticket";

const post = async (path, body, headers) => {
  const answer = await fetch(issuer + path, { method: "POST", body, headers });
  return { status: answer.status, body: await answer.json() };
};
const asClient = {
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`).toString("base64")}`,
};
const introspect = async (token) => (await post("/introspect", new URLSearchParams({ token }), asClient)).body;

/** The API's own token, until shortly before it expires. */
let ownToken = { value: "", until: 0 };
async function tokenOfApi() {
  if (Date.now() > ownToken.until) {
    const { body } = await post("/token", new URLSearchParams({ grant_type: "client_credentials" }), asClient);
    ownToken = { value: body.access_token, until: Date.now() + (body.expires_in - 10) * 1000 };
  }
  return ownToken.value;
}

/** Each says whether the holder of the token may view invoices. All fail closed. */
const ways = {
  async authzen(token) {
    const user = await introspect(token);
    if (!user.active) return false;
    const question = {
      subject: { type: "user", id: user.username },
      action: { name: RESOURCE.scope },
      resource: { type: RESOURCE.type, id: RESOURCE.name },
    };
    const headers = { authorization: `Bearer ${await tokenOfApi()}`, "content-type": "application/json" };
    const { status, body } = await post("/access/v1/evaluation", JSON.stringify(question), headers);
    return status === 200 && body.decision === true;
  },
  async decision(token) {
    const permission = `${RESOURCE.name}#${RESOURCE.scope}`;
    const form = new URLSearchParams({ grant_type: UMA, audience: clientId, subject_token: token, permission, response_mode: "decision" });
    const { status, body } = await post("/token", form, asClient);
    return status === 200 && body.result === true;
  },
  async token(token) {
    const { active, permissions = [] } = await introspect(token);
    return active === true && permissions.some(({ rsname, scopes = [] }) => rsname === RESOURCE.name && scopes.includes(RESOURCE.scope));
  },
};

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, own);
  const [, token] = /^Bearer ([\w.-]+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const way = ways[searchParams.get("by") ?? "authzen"];
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (pathname !== "/invoices" || !way) return answer(404, { error: "not_found" });
  if (!token) return answer(401, { error: "invalid_token" });
  try {
    return (await way(token)) ? answer(200, [{ id: 1, total: 42 }]) : answer(403, { error: "access_denied" });
  } catch (error) {
    console.error(error);
    return answer(503, { error: "temporarily_unavailable" });
  }
}).listen(new URL(own).port, () => console.log(`listening on ${own}`));
