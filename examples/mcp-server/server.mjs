// An MCP server that a Gatehouse realm protects. docs/mcp.md says how to set it up.
//   node examples/mcp-server/server.mjs http://localhost:3000/mcp http://localhost:8080/realms/acme tools
// Outside of this repository: npm install @modelcontextprotocol/sdk jose
import { realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createRemoteJWKSet, customFetch, jwtVerify } from "jose";

/** The tools. `authInfo` is what `verifier` has returned for the token of this request. */
function makeServer() {
  const server = new McpServer({ name: "tools", version: "1.0.0" });
  server.registerTool("whoami", { description: "Who calls" }, ({ authInfo }) => {
    const { sub } = authInfo.extra;
    return { content: [{ type: "text", text: JSON.stringify({ sub, client: authInfo.clientId, scopes: authInfo.scopes }) }] };
  });
  return server;
}

/** RFC 9068 §4: signature, issuer, type, time and, above all, that the token was made for this server. */
function verifierOf({ issuer, jwksUri, resource, fetch }) {
  const keys = createRemoteJWKSet(new URL(jwksUri), { [customFetch]: fetch });
  return {
    async verifyAccessToken(token) {
      const { payload } = await jwtVerify(token, keys, { issuer, audience: resource, typ: "at+jwt" }).catch((cause) => {
        throw new InvalidTokenError(`The token is not valid here: ${cause.message}`);
      });
      return {
        token,
        clientId: String(payload.client_id),
        scopes: String(payload.scope ?? "").split(" "),
        expiresAt: payload.exp,
        resource: new URL(resource),
        extra: { sub: payload.sub },
      };
    },
  };
}

/**
 * `resource` is the address of this server, and the indicator of its client in the realm. `scopes` are asked of every caller, and told to clients (RFC
 * 9728), which then request them. `fetch` reaches the issuer.
 */
export async function startMcpServer({ resource: wanted, issuer, scopes = [], fetch = globalThis.fetch }) {
  const answer = await fetch(`${issuer}/.well-known/openid-configuration`);
  if (!answer.ok) throw new Error(`${issuer} is no issuer: status ${answer.status}`);
  const metadata = await answer.json();
  const url = new URL(wanted);
  const app = createMcpExpressApp({ host: url.hostname });
  const http = await new Promise((resolve, reject) => {
    const listening = app.listen(Number(url.port), url.hostname, (error) => (error ? reject(error) : resolve(listening)));
  });
  url.port = http.address().port;
  const resource = url.href;
  const bearer = requireBearerAuth({
    verifier: verifierOf({ issuer, jwksUri: metadata.jwks_uri, resource, fetch }),
    requiredScopes: scopes,
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
  });
  app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: url, scopesSupported: scopes }));
  app.post(url.pathname, bearer, async (request, response) => {
    const server = makeServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on("close", () => void Promise.all([transport.close(), server.close()]));
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  return { http, resource };
}

if (import.meta.url === pathToFileURL(realpathSync(process.argv[1] ?? "")).href) {
  const [own, issuer, ...scopes] = process.argv.slice(2);
  if (!own || !issuer) {
    console.error("Usage: node examples/mcp-server/server.mjs OWN_URL ISSUER [SCOPE...]");
    process.exit(2);
  }
  const { resource } = await startMcpServer({ resource: own, issuer, scopes });
  console.log(`An MCP server at ${resource}, for tokens of ${issuer}`);
}
