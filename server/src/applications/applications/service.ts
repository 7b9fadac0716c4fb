import { defineErrors, invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import * as oidc from "../clients/index.ts";
import * as saml from "../saml-clients/index.ts";
import type { CreateApplication, UpdateApplication, VersionedApplication } from "./schema.ts";
import { listApplications } from "./store.ts";
import { templateOf, templates } from "./templates.ts";

const errors = defineErrors("applications", { not_found: [404, "No such application in this realm"] });

export async function searchApplications(ctx: ReadCtx, query: ListQuery): Promise<Page<VersionedApplication>> {
  const page = await listApplications(ctx.tx, ctx.realm, query);
  const idsOf = (protocol: "oidc" | "saml") => page.rows.filter((row) => row.protocol === protocol).map(({ id }) => id);
  const clients = await oidc.findClients(ctx.tx, ctx.realm, idsOf("oidc"));
  const samlClients = await saml.findSamlClients(ctx.tx, ctx.realm, idsOf("saml"));
  const found = new Map([
    ...clients.map((client) => [client.id, toApplication(oidc.showClient(client))] as const),
    ...samlClients.map((client) => [client.id, toSamlApplication(client)] as const),
  ]);
  // An application that was deleted between the two queries is left out.
  return { ...page, rows: page.rows.flatMap(({ id }) => found.get(id) ?? []) };
}

export async function readApplication(ctx: ReadCtx, name: string): Promise<VersionedApplication> {
  const found = await applicationOf(ctx, name);
  return found.protocol === "saml" ? toSamlApplication(found.client) : toApplication(oidc.showClient(found.client));
}

export async function createApplication(
  ctx: Ctx,
  tools: oidc.ClientTools,
  input: CreateApplication,
): Promise<VersionedApplication & { secret?: string }> {
  const { name, template, displayName, entityId: _, assertionConsumerServiceUrl: __, singleLogoutServiceUrl: ___, ...given } = input;
  if (template === "saml") return createSamlApplication(ctx, tools, input);
  refuseOtherKind(input, samlMembers, "SAML applications");
  assertClientId(name);
  const { client: beginning, redirects } = templates[template];
  const requested = given.redirectUris ?? [];
  if (redirects && requested.length === 0)
    throw invalidFields([
      { field: "redirectUris", code: "required", message: "redirectUris: send at least one address for authorization responses" },
    ]);
  if (!redirects && requested.length > 0)
    throw invalidFields([
      { field: "redirectUris", code: "unexpected", message: `redirectUris: a ${template} gets no authorization responses` },
    ]);
  const client = { ...beginning, ...given, clientId: name, ...(displayName !== undefined && { name: displayName }) };
  const { client: created, secret } = await oidc.createClient(recordedAs(ctx, name), tools, client);
  return { ...toApplication(oidc.showClient(created)), ...(secret !== null && { secret }) };
}

export async function saveApplication(
  ctx: Ctx,
  tools: oidc.ClientTools,
  name: string,
  input: UpdateApplication,
): Promise<VersionedApplication> {
  const found = await applicationOf(ctx, name);
  if (found.protocol === "saml") return saveSamlApplication(ctx, tools, found.client, input);
  refuseOtherKind(input, samlMembers, "SAML applications");
  const row = found.client;
  const { version: _, ...client } = oidc.showClient(row);
  refuseReadOnly(toApplication(oidc.showClient(row)), input, ["realmId", "name", "protocol", "clientRef", "template", "createdAt"]);
  const { client: saved } = await oidc.saveClient(recordedAs(ctx, name), tools, row.id, {
    ...client,
    name: input.displayName ?? null,
    enabled: input.enabled,
    description: input.description ?? null,
    redirectUris: input.redirectUris ?? [],
    postLogoutRedirectUris: input.postLogoutRedirectUris ?? [],
    webOrigins: input.webOrigins ?? [],
    scopes: input.scopes ?? [],
    clientUri: input.clientUri ?? null,
    logoUri: input.logoUri ?? null,
  });
  return toApplication(oidc.showClient(saved));
}

/** Deletes an application, its client and everything that references it. */
export async function removeApplication(ctx: Ctx, tools: oidc.ClientTools, name: string): Promise<void> {
  const found = await applicationOf(ctx, name);
  if (found.protocol === "saml") await saml.removeSamlClient(recordedAs(ctx, name), found.client.entityId);
  else await oidc.removeClient(recordedAs(ctx, name), tools, found.client.id);
}

type Found =
  | { readonly protocol: "oidc"; readonly client: oidc.ClientRow }
  | { readonly protocol: "saml"; readonly client: saml.SamlClientRow };

/** Finds the client of an application. A client from before `|` was reserved for SAML applications is still found by its id. */
async function applicationOf(ctx: ReadCtx, name: string): Promise<Found> {
  const client = await oidc.findClientByClientId(ctx.tx, ctx.realm, name);
  if (client) return { protocol: "oidc", client };
  const prefix = saml.applicationName(ctx.realm, "");
  const samlClient = name.startsWith(prefix) ? await saml.findSamlClient(ctx.tx, ctx.realm, name.slice(prefix.length)) : null;
  if (!samlClient) throw errors.not_found();
  return { protocol: "saml", client: samlClient };
}

function assertClientId(name: string | undefined): asserts name is string {
  const refused = (code: string, message: string) => invalidFields([{ field: "name", code, message: `name ${message}` }]);
  if (name === undefined) throw refused("required", "is required");
  if (!oidc.isClientId(name))
    throw refused(
      "format",
      "must be 1 to 255 letters, digits and signs of ASCII, without spaces, and neither . nor ..: it is the client id",
    );
  if (name.includes("|")) throw refused("reserved", "must not hold a |, which is kept for the names of SAML applications");
}

const toApplication = (client: ReturnType<typeof oidc.showClient>): VersionedApplication => ({
  realmId: client.realmId,
  name: client.clientId,
  protocol: "oidc",
  clientRef: client.id,
  template: templateOf(client),
  displayName: client.name,
  enabled: client.enabled,
  description: client.description,
  redirectUris: client.redirectUris,
  postLogoutRedirectUris: client.postLogoutRedirectUris,
  webOrigins: client.webOrigins,
  scopes: client.scopes,
  clientUri: client.clientUri,
  logoUri: client.logoUri,
  entityId: null,
  assertionConsumerServiceUrl: null,
  singleLogoutServiceUrl: null,
  createdAt: client.createdAt,
  version: client.version,
});

/** The members that only one of the two kinds has. */
export const samlMembers = ["entityId", "assertionConsumerServiceUrl", "singleLogoutServiceUrl"] as const;
const oidcMembers = ["redirectUris", "postLogoutRedirectUris", "webOrigins", "scopes"] as const;

/** Refuses members of the other kind. A PUT may repeat the null or empty members of a GET that the kind does not have. */
function refuseOtherKind<M extends string>(input: { readonly [K in M]?: unknown }, members: readonly M[], kind: string): void {
  const isGiven = (value: unknown) => value != null && !(Array.isArray(value) && value.length === 0);
  const errors = members
    .filter((member) => isGiven(input[member]))
    .map((field) => ({ field, code: "unexpected", message: `${field} is for ${kind}` }));
  if (errors.length > 0) throw invalidFields(errors);
}

async function createSamlApplication(ctx: Ctx, tools: oidc.ClientTools, input: CreateApplication): Promise<VersionedApplication> {
  refuseOtherKind(input, oidcMembers, "OIDC applications");
  const { entityId, assertionConsumerServiceUrl } = input;
  if (entityId === undefined || assertionConsumerServiceUrl === undefined) {
    const missing = (["entityId", "assertionConsumerServiceUrl"] as const).filter((member) => input[member] === undefined);
    throw invalidFields(missing.map((field) => ({ field, code: "required", message: `${field} is required for the template saml` })));
  }
  const name = saml.applicationName(ctx.realm, entityId);
  if (input.name !== undefined && input.name !== name) {
    const message = `name of a SAML application is ${name}: leave it out, and call it something else by displayName`;
    throw invalidFields([{ field: "name", code: "saml", message }]);
  }
  const options = optionsOf(input);
  const client = await saml.createSamlClient(recordedAs(ctx, name), tools, {
    entityId,
    assertionConsumerServiceUrl,
    singleLogoutServiceUrl: input.singleLogoutServiceUrl ?? null,
    enabled: input.enabled ?? true,
    options,
  });
  return toSamlApplication(client);
}

/** Saves a SAML application. The other settings of its client stay. */
async function saveSamlApplication(
  ctx: Ctx,
  tools: oidc.ClientTools,
  row: saml.SamlClientRow,
  input: UpdateApplication,
): Promise<VersionedApplication> {
  refuseOtherKind(input, oidcMembers, "OIDC applications");
  const current = toSamlApplication(row);
  refuseReadOnly(current, input, ["realmId", "name", "protocol", "clientRef", "template", "entityId", "createdAt"]);
  const { assertionConsumerServiceUrl } = input;
  if (assertionConsumerServiceUrl == null) {
    const message = "assertionConsumerServiceUrl is required for a SAML application";
    throw invalidFields([{ field: "assertionConsumerServiceUrl", code: "required", message }]);
  }
  const { version: _, ...client } = saml.showSamlClient(row);
  const saved = await saml.saveSamlClient(recordedAs(ctx, current.name), tools, row.entityId, {
    ...client,
    assertionConsumerServiceUrl,
    singleLogoutServiceUrl: input.singleLogoutServiceUrl ?? null,
    enabled: input.enabled,
    options: { ...client.options, ...optionsOf(input) },
  });
  return toSamlApplication(saved);
}

const optionsOf = (input: CreateApplication | UpdateApplication) => ({
  name: input.displayName ?? null,
  description: input.description ?? null,
  clientUri: input.clientUri ?? null,
  logoUri: input.logoUri ?? null,
});

const toSamlApplication = (row: saml.SamlClientRow): VersionedApplication => ({
  realmId: row.realmId,
  name: saml.applicationName(row.realmId, row.entityId),
  protocol: "saml",
  clientRef: row.entityId,
  template: "saml",
  displayName: row.name,
  enabled: row.enabled,
  description: row.stored.options.description,
  redirectUris: [],
  postLogoutRedirectUris: [],
  webOrigins: [],
  scopes: [],
  clientUri: row.stored.options.clientUri,
  logoUri: row.stored.options.logoUri,
  entityId: row.entityId,
  assertionConsumerServiceUrl: row.stored.assertionConsumerServiceUrl,
  singleLogoutServiceUrl: row.stored.singleLogoutServiceUrl,
  createdAt: row.createdAt,
  version: row.version,
});

/** Returns a context that records one event per write, for the application instead of its client. */
const recordedAs = (ctx: Ctx, name: string): Ctx => ({
  ...ctx,
  audit: (draft) => {
    const kind = draft.resourceType === "clients" ? "client" : draft.resourceType === "saml-clients" ? "SAML client" : null;
    ctx.audit(
      kind !== null && draft.resourceId !== undefined
        ? { ...draft, resourceType: "applications", resourceId: name, detail: `${kind} ${draft.resourceId}` }
        : draft,
    );
  },
});
