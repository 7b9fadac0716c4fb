// An MCP server that a realm of Gatehouse protects: docs/mcp.md says how to set it up.
//
//   ISSUER=http://localhost:8080/realms/acme PORT=3000 node examples/mcp-server/server.mjs
//
// Outside of this repository: npm install @modelcontextprotocol/sdk jose
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
  const server = new McpServer({ name: "orders", version: "1.0.0" });
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
 * `scopes` are asked of every caller, and told to clients (RFC 9728), which then request them. `fetch` reaches the issuer. Returns the HTTP server and
 * the address that is the resource indicator.
 */
export async function startMcpServer({ issuer, port, scopes = [], fetch = globalThis.fetch }) {
  const metadata = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  const app = createMcpExpressApp();
  const http = await new Promise((resolve) => {
    const listening = app.listen(port, "127.0.0.1", () => resolve(listening));
  });
  const resource = `http://127.0.0.1:${http.address().port}/mcp`;
  const resourceServerUrl = new URL(resource);
  const bearer = requireBearerAuth({
    verifier: verifierOf({ issuer, jwksUri: metadata.jwks_uri, resource, fetch }),
    requiredScopes: scopes,
    resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(resourceServerUrl),
  });
  app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl, scopesSupported: scopes, resourceName: "Orders" }));
  app.post("/mcp", bearer, async (request, response) => {
    const server = makeServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on("close", () => void Promise.all([transport.close(), server.close()]));
    await server.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  return { http, resource };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { ISSUER = "http://localhost:8080/realms/acme", PORT = "3000", SCOPES = "orders" } = process.env;
  const { resource } = await startMcpServer({ issuer: ISSUER, port: Number(PORT), scopes: SCOPES.split(" ").filter(Boolean) });
  console.log(`An MCP server at ${resource}, for tokens of ${ISSUER}`);
}
