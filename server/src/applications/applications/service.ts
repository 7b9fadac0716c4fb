import { defineErrors, invalidFields } from "../../kernel/errors.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ListQuery, Page } from "../../platform/paging/index.ts";
import {
  type ClientRow,
  type ClientTools,
  createClient,
  findClientByClientId,
  removeClient,
  saveClient,
  searchClients,
  showClient,
} from "../clients/index.ts";
import type { Application, CreateApplication, UpdateApplication } from "./schema.ts";
import { templateOf, templates } from "./templates.ts";

const errors = defineErrors("applications", { not_found: [404, "No such application in this realm"] });

export type VersionedApplication = Application & { readonly version: number };

export async function searchApplications(ctx: ReadCtx, { sort, ...query }: ListQuery): Promise<Page<VersionedApplication>> {
  // What an application calls its name is its client's id.
  const page = await searchClients(ctx, { ...query, ...(sort !== undefined && { sort: sort.replace(/^(-?)name$/, "$1clientId") }) });
  return { ...page, rows: page.rows.map(toApplication) };
}

export async function readApplication(ctx: ReadCtx, name: string): Promise<VersionedApplication> {
  return toApplication(showClient(await clientOf(ctx, name)));
}

export async function createApplication(
  ctx: Ctx,
  tools: ClientTools,
  { name, template, displayName, ...given }: CreateApplication,
): Promise<{ application: VersionedApplication; secret: string | null }> {
  const { client: beginning, redirects } = templates[template];
  const wanted = given.redirectUris ?? [];
  if (redirects && wanted.length === 0)
    throw invalidFields([{ field: "redirectUris", code: "required", message: "redirectUris: say where a browser comes back to" }]);
  if (!redirects && wanted.length > 0)
    throw invalidFields([{ field: "redirectUris", code: "unexpected", message: `redirectUris: no browser comes back to a ${template}` }]);
  const input = { ...beginning, ...given, clientId: name, ...(displayName !== undefined && { name: displayName }) };
  const { client, secret } = await createClient(toldAs(ctx, name), tools, input);
  return { application: toApplication(showClient(client)), secret };
}

export async function saveApplication(ctx: Ctx, tools: ClientTools, name: string, input: UpdateApplication): Promise<VersionedApplication> {
  const row = await clientOf(ctx, name);
  const { version: _, ...client } = showClient(row);
  refuseReadOnly(toApplication(showClient(row)), input, ["realmId", "name", "protocol", "clientRef", "template", "createdAt"]);
  const { client: saved } = await saveClient(toldAs(ctx, name), tools, row.id, {
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

/** Asked for by name, and yet to come: whoever wants one is told so, instead of that the word is unknown. */
export function refuseSaml(body: unknown): void {
  const { template } = Object(body) as { template?: unknown };
  if (template === "saml")
    throw invalidFields([
      {
        field: "template",
        code: "unsupported",
        message: "template: SAML applications come with the SAML feature, which is not in this release",
      },
    ]);
}

/** Its client goes with it, and all that hangs on that. */
export async function removeApplication(ctx: Ctx, tools: ClientTools, name: string): Promise<void> {
  const { id } = await clientOf(ctx, name);
  await removeClient(toldAs(ctx, name), tools, id);
}

async function clientOf(ctx: ReadCtx, name: string): Promise<ClientRow> {
  const client = await findClientByClientId(ctx.tx, ctx.realm, name);
  if (!client) throw errors.not_found();
  return client;
}

/** One write leaves one event, and that says by which path the client was changed. */
const toldAs = (ctx: Ctx, name: string): Ctx => ({
  ...ctx,
  audit: (draft) =>
    ctx.audit(
      draft.resourceType === "clients" && draft.resourceId !== undefined
        ? { ...draft, resourceType: "applications", resourceId: name, detail: `client ${draft.resourceId}` }
        : draft,
    ),
});

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
  createdAt: client.createdAt,
  version: client.version,
});
