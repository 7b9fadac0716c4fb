import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { isId } from "../../kernel/ids.ts";
import { LISTING } from "../../kernel/lists.ts";
import { type Ctx, type DomainEvents, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Page } from "../../platform/paging/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { claimPath } from "../claims/index.ts";
import { inUse } from "../client-scopes/index.ts";
import * as clients from "../clients/index.ts";
import { workloadErrors } from "./errors.ts";
import type { CreateWorkloadCredential, UpdateWorkloadCredential, WorkloadQuery } from "./schema.ts";
import { credentialsListing } from "./scopes.store.ts";
import * as store from "./store.ts";

export interface WorkloadTools {
  readonly baseUrl: string;
}

const MAX_TOKEN_SECONDS = 3_600;

export const searchCredentials = (ctx: ReadCtx, query: WorkloadQuery): Promise<Page<store.WorkloadCredentialRow>> =>
  store.listCredentials(ctx.tx, ctx.realm, query);

export async function readCredential(ctx: ReadCtx, id: string, isHeld = false): Promise<store.WorkloadCredentialRow> {
  const credential = isId(id) ? await store.findCredential(ctx.tx, ctx.realm, id, isHeld) : null;
  if (!credential) throw workloadErrors.not_found();
  return credential;
}

/** For a change: held until commit. The version (`If-Match`) is checked last. */
const takeCredential = (ctx: Ctx, id: string): Promise<store.WorkloadCredentialRow> => readCredential(ctx, id, true);

export async function createCredential(
  ctx: Ctx,
  tools: WorkloadTools,
  input: CreateWorkloadCredential,
): Promise<store.WorkloadCredentialRow> {
  const client = await clientOf(ctx, input.clientId);
  const state = await checked(ctx, tools, { ...input, enabled: input.enabled ?? true }, client, "");
  await assertMayActAs(ctx, tools, client);
  const id = await store.insertCredential(ctx.tx, ctx.realm, state, ctx.now);
  await recordConfigChange(ctx, "ADMIN_CREATE", "workload-identity", id, detailOf(state, client));
  return readCredential(ctx, id);
}

export async function saveCredential(
  ctx: Ctx,
  tools: WorkloadTools,
  id: string,
  input: UpdateWorkloadCredential,
): Promise<store.WorkloadCredentialRow> {
  const current = await takeCredential(ctx, id);
  const client = await clientOf(ctx, input.clientId);
  const state = await checked(ctx, tools, input, client, current.scopes);
  refuseReadOnly(current, input, ["id", "realmId", "createdAt"]);
  await assertMayActAs(ctx, tools, client);
  if (current.clientId !== client.clientId) await assertMayActAs(ctx, tools, await clientOf(ctx, current.clientId));
  expectVersion(ctx, current.version);
  await store.updateCredential(ctx.tx, ctx.realm, current.id, state);
  await recordConfigChange(ctx, "ADMIN_UPDATE", "workload-identity", current.id, detailOf(state, client));
  return readCredential(ctx, current.id);
}

export async function removeCredential(ctx: Ctx, tools: WorkloadTools, id: string): Promise<void> {
  const current = await takeCredential(ctx, id);
  await assertMayActAs(ctx, tools, await clientOf(ctx, current.clientId));
  expectVersion(ctx, current.version);
  await store.deleteCredential(ctx.tx, ctx.realm, current.id);
  await recordConfigChange(ctx, "ADMIN_DELETE", "workload-identity", current.id, current.name);
}

const detailOf = ({ enabled, issuer }: store.CredentialState, { clientId }: clients.ClientRow): string =>
  `${clientId} by ${issuer}${enabled ? "" : ", disabled"}`;

/** Checks the escalation rule: the holder of such a token acts as the client, like the holder of its secret. */
async function assertMayActAs(ctx: Ctx, { baseUrl }: WorkloadTools, client: clients.ClientRow): Promise<void> {
  await clients.assertMayControlClient(ctx, client.id);
  clients.assertMayReachAdministrators(ctx, baseUrl, client);
}

async function clientOf(ctx: Ctx, clientId: string): Promise<clients.ClientRow> {
  const client = await clients.findClientByClientId(ctx.tx, ctx.realm, clientId);
  if (!client) throw invalidFields([{ field: "clientId", code: "unknown", message: "clientId: there is no client with this client id" }]);
  return client;
}

const scopesIn = (scopes: string) => [...new Set(scopes.split(" "))].filter((scope) => scope !== "");

/** Checks a request for a credential. Returns the complete state. */
async function checked(
  ctx: Ctx,
  { baseUrl }: WorkloadTools,
  input: CreateWorkloadCredential & { readonly enabled: boolean },
  client: clients.ClientRow,
  scopesBefore: string,
): Promise<store.CredentialState> {
  const { name, issuer, subject, audience, enabled } = input;
  const { jwksUri = null, jwks = null, subjectClaim = "sub", conditions = {}, singleUse = false } = input;
  const scopes = scopesIn(input.scopes ?? "");
  const error = (field: string, code: string, message: string): FieldError[] => [{ field, code, message: `${field} ${message}` }];
  const errors: FieldError[] = [
    ...clients.keyErrors({ jwks, jwksUri, authMethod: "client_secret" }),
    ...clients.inMember("jwksUri", jwksUri, clients.httpsVerdict),
    // Without keys or their address, the server reads them by the issuer's own document.
    ...(jwks === null && jwksUri === null ? clients.inMember("issuer", issuer, clients.httpsVerdict) : []),
    // Otherwise a token that this server issued to one client would authenticate another.
    ...[{ issuer }, { jwksUri }].flatMap((member) =>
      Object.entries(member).flatMap(([field, url]) =>
        url !== null && clients.isWithinServer(baseUrl, url) ? error(field, "reserved", "is an address of this server itself") : [],
      ),
    ),
    ...(subject.includes("*") ? error("subject", "wildcard", "must not contain *: it is compared exactly") : []),
    ...(claimPath(subjectClaim) ? [] : error("subjectClaim", "format", "is not the name of a claim")),
    ...Object.keys(conditions).flatMap((claim) =>
      claimPath(claim) ? [] : error(`conditions.${claim}`, "format", "is not the name of a claim"),
    ),
    ...(client.publicClient ? error("clientId", "public", "is a public client, which cannot act in its own name") : []),
    ...(await clients.unknownScopes(ctx, scopes, scopesIn(scopesBefore))),
  ];
  if (errors.length > 0) throw invalidFields(errors);
  return {
    ...{ name, issuer, jwksUri, jwks, subject, subjectClaim, conditions, audience, singleUse, enabled },
    client: client.id,
    scopes: scopes.join(" "),
    maxTokenSeconds: input.maxTokenSeconds ?? MAX_TOKEN_SECONDS,
  };
}

/** Refuses on `client_scope.deleting` to delete a scope that credentials list. */
export async function keepListedByCredentials(ctx: Ctx, { name }: DomainEvents["client_scope.deleting"]): Promise<void> {
  const listing = await credentialsListing(ctx.tx, ctx.realm, name, LISTING);
  if (listing.length > 0) throw inUse("Workload credentials", listing);
}
