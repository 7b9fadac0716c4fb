import type { Snippet } from "./snippet.ts";

interface Api {
  readonly clientId: string;
  readonly issuer: string;
  /** The resource indicator of the API, which is the audience of its tokens. */
  readonly resource: string;
  readonly scopes: readonly string[];
}

/** Returns the code of an API that verifies tokens by itself, or by introspection. */
export const ofApi = ({ clientId, issuer, resource, scopes }: Api): readonly Snippet[] => [
  {
    title: "MCP server",
    text: `// npm install @modelcontextprotocol/sdk jose express
import express from "express";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } from "@modelcontextprotocol/sdk/server/auth/router.js";
import { createRemoteJWKSet, jwtVerify } from "jose";

const issuer = "${issuer}";
const resource = "${resource}";
const scopes = ${JSON.stringify(scopes)};
const oauthMetadata = await (await fetch(issuer + "/.well-known/openid-configuration")).json();
const keys = createRemoteJWKSet(new URL(oauthMetadata.jwks_uri));

const verifier = {
  async verifyAccessToken(token) {
    const { payload } = await jwtVerify(token, keys, { issuer, audience: resource, typ: "at+jwt" }).catch((cause) => {
      throw new InvalidTokenError(cause.message);
    });
    return { token, clientId: payload.client_id, scopes: (payload.scope ?? "").split(" "), expiresAt: payload.exp, extra: { sub: payload.sub } };
  },
};

const app = express();
const url = new URL(resource);
// Clients that have never heard of this realm find it here (RFC 9728).
app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl: url, scopesSupported: scopes }));
app.use(url.pathname, requireBearerAuth({
  verifier,
  requiredScopes: scopes,
  resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url),
}));
// app.post(url.pathname, …): your transport. request.auth is what the verifier has returned.`,
  },
  {
    title: "Node.js",
    text: `import { createRemoteJWKSet, jwtVerify } from "jose";

const keys = createRemoteJWKSet(new URL("${issuer}/jwks"));

// Throws unless the token is valid and was made for this API.
export async function callerOf(request) {
  const token = request.headers.authorization?.replace(/^Bearer /i, "") ?? "";
  const { payload } = await jwtVerify(token, keys, {
    issuer: "${issuer}",
    audience: "${resource}",
    typ: "at+jwt",
  });
  return { subject: payload.sub, scopes: (payload.scope ?? "").split(" ") };
}`,
  },
  {
    title: "Spring Boot",
    text: `# application.yml, with spring-boot-starter-oauth2-resource-server
spring.security.oauth2.resourceserver.jwt:
  issuer-uri: ${issuer}
  audiences: ${resource}`,
  },
  {
    title: "ASP.NET Core",
    text: `builder.Services.AddAuthentication().AddJwtBearer(options => {
  options.Authority = "${issuer}";
  options.Audience = "${resource}";
  options.TokenValidationParameters.ValidTypes = ["at+jwt"];
});
builder.Services.AddAuthorization();`,
  },
  {
    title: "FastAPI",
    text: `import jwt  # PyJWT[crypto]
from fastapi import Depends, HTTPException
from fastapi.security import HTTPBearer

keys = jwt.PyJWKClient("${issuer}/jwks")

def caller(credentials=Depends(HTTPBearer())):
    token = credentials.credentials
    try:
        return jwt.decode(
            token,
            keys.get_signing_key_from_jwt(token).key,
            algorithms=["RS256", "ES256", "EdDSA"],
            issuer="${issuer}",
            audience="${resource}",
        )
    except jwt.PyJWTError as error:
        raise HTTPException(401, str(error), {"WWW-Authenticate": "Bearer"})`,
  },
  {
    title: "Introspection",
    text: `# It sees a sign-out or a withdrawn consent at once; a signature does not.
curl -u '${clientId}:SECRET' ${issuer}/introspect -d token=ACCESS_TOKEN`,
  },
  {
    title: "Ask for a token",
    text: `# As a client that may call this API: it names the API as the resource (RFC 8707).
curl -u 'CLIENT_ID:SECRET' ${issuer}/token \\
  -d grant_type=client_credentials -d resource=${resource}${scopes.length > 0 ? ` -d 'scope=${scopes.join(" ")}'` : ""}`,
  },
];
