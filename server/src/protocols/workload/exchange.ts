import type { IncomingHttpHeaders } from "node:http";
import { type ClientSnapshot, isUsable, kindOfClient } from "../../applications/clients/index.ts";
import type { WorkloadCredential } from "../../applications/workload-credentials/index.ts";
import { clock } from "../../kernel/clock.ts";
import { OAuthError } from "../../kernel/oauth-error.ts";
import { cut } from "../../kernel/text.ts";
import { systemActor } from "../../platform/context.ts";
import { type Form, isPublic, isWorkload, limitedTo, verifyWorkloadToken, type Workload } from "../client-auth/index.ts";
import { proveBinding } from "../proof/index.ts";
import type { TokenEndpointParts } from "../token-endpoint/index.ts";
import * as tokens from "../tokens/index.ts";

export const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const TOKEN_TYPE = "urn:ietf:params:oauth:token-type:jwt";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

interface WorkloadRequest {
  readonly headers: IncomingHttpHeaders;
  readonly form: Form;
  readonly sourceIp: string;
  readonly requestId: string;
}

/** Makes the same response for every reason, so that nobody can find out issuers, subjects or clients. */
const refused = () => new OAuthError("invalid_client", "the workload's token was not accepted", { status: 401 });

/** The reason of a refusal, which only the audit trail contains. */
class Refusal extends Error {}

/** RFC 8693 §2: exchanges a token of another issuer for a client credentials token of its credential's client, for a few minutes. */
export async function exchangeWorkloadToken(parts: TokenEndpointParts, request: WorkloadRequest) {
  const { form, sourceIp, requestId } = request;
  const realm = parts.realm.realmId;
  const reject = (reason: string, { issuer, subject }: { readonly issuer: string; readonly subject: string } = NOBODY) => {
    parts.activity.refusedWorkload({ realm, issuer, subject, reason, sourceIp, requestId });
    return refused();
  };
  const { grant_type: type, subject_token: token, subject_token_type: tokenType } = form;
  if (type !== GRANT_TYPE || tokenType !== TOKEN_TYPE || typeof token !== "string") throw reject("the request is not an exchange of a JWT");
  const verified = await verifyWorkloadToken(parts, token);
  if (!isWorkload(verified)) throw reject(verified.reason, verified);
  try {
    const client = await clientOf(parts, verified.credential);
    const scopes = scopesFor(parts, client, verified.credential, form.scope);
    const binding = await proveBinding(parts, client, {
      headers: request.headers,
      method: "POST",
      url: `${parts.issuer}/workload-identity/token`,
    });
    return await issue(parts, client, verified, scopes, binding, { sourceIp, requestId });
  } catch (error) {
    if (error instanceof Refusal || error instanceof OAuthError) throw reject(error.message, verified);
    throw error;
  }
}

const NOBODY = { issuer: "", subject: "" };

async function clientOf({ clients, realm }: TokenEndpointParts, credential: WorkloadCredential): Promise<ClientSnapshot> {
  const client = await clients.get(realm.realmId, credential.clientId);
  if (!client || !isUsable(client, clock.now())) throw new Refusal("its client is disabled, or the client's agent is not active");
  if (isPublic(client) || !client.grantTypes.includes("client_credentials")) throw new Refusal("its client may not act in its own name");
  return limitedTo(client, credential);
}

/** Returns the credential's scopes that the client may have, or the requested ones. Unknown names are ignored, as in all grants. */
function scopesFor(
  { scopesOfRealm }: TokenEndpointParts,
  client: ClientSnapshot,
  { scopes }: WorkloadCredential,
  asked: Form[string],
): readonly string[] {
  const own = scopes.split(" ").filter((name) => name !== "");
  const allowed = tokens.allowedScopes(scopesOfRealm, client);
  if (asked === undefined || asked === "") return own.filter((name) => allowed.has(name));
  if (typeof asked !== "string") throw new Refusal("scope must not be provided twice");
  tokens.checkScopeSyntax(asked);
  const requested = tokens.knownScopes(scopesOfRealm, asked)!.split(" ");
  if (requested.some((name) => !own.includes(name))) throw new Refusal("the credential does not have a requested scope");
  return requested.filter((name) => allowed.has(name));
}

async function issue(
  parts: TokenEndpointParts,
  client: ClientSnapshot,
  { issuer, subject, credential }: Workload,
  scopes: readonly string[],
  binding: tokens.Binding,
  from: Pick<WorkloadRequest, "sourceIp" | "requestId">,
) {
  const { id, clientId, realmId } = client;
  await tokens.assertAccess(parts, client, { userId: null });
  const access = await tokens.clientAccessToken(
    parts,
    client,
    {
      scopes,
      resource: parts.issuer,
      authorizationDetails: undefined,
      extraClaims: { workload_iss: issuer, workload_sub: subject },
      maxLifetime: parts.realm.settings.workloads.tokenSeconds,
    },
    binding,
  );
  const detail = `issuer ${cut(issuer, 512)}, subject ${cut(subject, 1024)}`;
  await parts.work.transact({ realm: realmId, actor: systemActor(realmId), ...from }, async (ctx) =>
    ctx.audit({
      ...{ category: "SECURITY", type: "WORKLOAD_TOKEN_ISSUED", actor: { id, name: clientId, kind: kindOfClient(client) } },
      ...{ resourceType: "workload-identity", resourceId: credential.id, detail },
    }),
  );
  parts.activity.issued(client, from.sourceIp, access.expiresAt);
  parts.activity.usedAgent(client);
  const body = {
    access_token: access.jwt,
    issued_token_type: ACCESS_TOKEN,
    token_type: tokens.tokenTypeOf(binding),
    expires_in: access.expiresIn,
    scope: scopes.join(" "),
  };
  tokens.countTokens(parts, "workload", body);
  return body;
}
