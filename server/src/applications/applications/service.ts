import { defineErrors, invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import {
  type ClientRow,
  type ClientTools,
  createClient,
  findClientByClientId,
  findClients,
  removeClient,
  saveClient,
  showClient,
} from "../clients/index.ts";
import { applicationName, findSamlClient, findSamlClients, removeSamlClient, type SamlClientRow } from "../saml-clients/index.ts";
import { createSamlApplication, recordedAs, refuseOtherKind, samlMembers, saveSamlApplication, toSamlApplication } from "./saml.service.ts";
import type { CreateApplication, UpdateApplication, VersionedApplication } from "./schema.ts";
import { listApplications } from "./store.ts";
import { templateOf, templates } from "./templates.ts";

const errors = defineErrors("applications", { not_found: [404, "No such application in this realm"] });

export async function searchApplications(ctx: ReadCtx, query: ListQuery): Promise<Page<VersionedApplication>> {
  const page = await listApplications(ctx.tx, ctx.realm, query);
  const idsOf = (protocol: "oidc" | "saml") => page.rows.filter((row) => row.protocol === protocol).map(({ id }) => id);
  const clients = await findClients(ctx.tx, ctx.realm, idsOf("oidc"));
  const samlClients = await findSamlClients(ctx.tx, ctx.realm, idsOf("saml"));
  const found = new Map([
    ...clients.map((client) => [client.id, toApplication(showClient(client))] as const),
    ...samlClients.map((client) => [client.id, toSamlApplication(client)] as const),
  ]);
  // One that was deleted between the two questions is left out.
  return { ...page, rows: page.rows.flatMap(({ id }) => found.get(id) ?? []) };
}

export async function readApplication(ctx: ReadCtx, name: string): Promise<VersionedApplication> {
  const found = await applicationOf(ctx, name);
  return found.protocol === "saml" ? toSamlApplication(found.client) : toApplication(showClient(found.client));
}

export async function createApplication(
  ctx: Ctx,
  tools: ClientTools,
  input: CreateApplication,
): Promise<{ application: VersionedApplication; secret: string | null }> {
  const { name, template, displayName, entityId: _, assertionConsumerServiceUrl: __, singleLogoutServiceUrl: ___, ...given } = input;
  if (template === "saml") return { application: await createSamlApplication(ctx, tools, input), secret: null };
  refuseOtherKind(input, samlMembers, "SAML applications");
  assertClientId(name);
  const { client: beginning, redirects } = templates[template];
  const requested = given.redirectUris ?? [];
  if (redirects && requested.length === 0)
    throw invalidFields([
      { field: "redirectUris", code: "required", message: "redirectUris: name at least one address for authorization responses" },
    ]);
  if (!redirects && requested.length > 0)
    throw invalidFields([
      { field: "redirectUris", code: "unexpected", message: `redirectUris: a ${template} gets no authorization responses` },
    ]);
  const client = { ...beginning, ...given, clientId: name, ...(displayName !== undefined && { name: displayName }) };
  const created = await createClient(recordedAs(ctx, name), tools, client);
  return { application: toApplication(showClient(created.client)), secret: created.secret };
}

export async function saveApplication(ctx: Ctx, tools: ClientTools, name: string, input: UpdateApplication): Promise<VersionedApplication> {
  const found = await applicationOf(ctx, name);
  if (found.protocol === "saml") return saveSamlApplication(ctx, tools, found.client, input);
  refuseOtherKind(input, samlMembers, "SAML applications");
  const row = found.client;
  const { version: _, ...client } = showClient(row);
  refuseReadOnly(toApplication(showClient(row)), input, ["realmId", "name", "protocol", "clientRef", "template", "createdAt"]);
  const { client: saved } = await saveClient(recordedAs(ctx, name), tools, row.id, {
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
  return toApplication(showClient(saved));
}

/** Also deletes its client and everything that references it. */
export async function removeApplication(ctx: Ctx, tools: ClientTools, name: string): Promise<void> {
  const found = await applicationOf(ctx, name);
  if (found.protocol === "saml") await removeSamlClient(recordedAs(ctx, name), found.client.entityId);
  else await removeClient(recordedAs(ctx, name), tools, found.client.id);
}

type Found = { readonly protocol: "oidc"; readonly client: ClientRow } | { readonly protocol: "saml"; readonly client: SamlClientRow };

/** A client from before `|` was kept for SAML applications is found by its id as ever. */
async function applicationOf(ctx: ReadCtx, name: string): Promise<Found> {
  const client = await findClientByClientId(ctx.tx, ctx.realm, name);
  if (client) return { protocol: "oidc", client };
  const prefix = applicationName(ctx.realm, "");
  const samlClient = name.startsWith(prefix) ? await findSamlClient(ctx.tx, ctx.realm, name.slice(prefix.length)) : null;
  if (!samlClient) throw errors.not_found();
  return { protocol: "saml", client: samlClient };
}

const CLIENT_ID = /^[!-~]{1,255}$/;

function assertClientId(name: string | undefined): asserts name is string {
  const refused = (code: string, message: string) => invalidFields([{ field: "name", code, message: `name ${message}` }]);
  if (name === undefined) throw refused("required", "is required");
  if (!CLIENT_ID.test(name))
    throw refused("format", "must be 1 to 255 letters, digits and signs of ASCII, without spaces: it is the client id");
  if (name.includes("|")) throw refused("reserved", "must not hold a |, which is kept for the names of SAML applications");
}

const toApplication = (client: ReturnType<typeof showClient>): VersionedApplication => ({
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
