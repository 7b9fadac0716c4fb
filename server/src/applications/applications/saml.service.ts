import { invalidFields } from "../../kernel/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { ClientTools } from "../clients/index.ts";
import { applicationName, createSamlClient, type SamlClientRow, saveSamlClient, showSamlClient } from "../saml-clients/index.ts";
import type { CreateApplication, UpdateApplication, VersionedApplication } from "./schema.ts";

/** Members that only one of the two kinds has. */
export const samlMembers = ["entityId", "assertionConsumerServiceUrl", "singleLogoutServiceUrl"] as const;
const oidcMembers = ["redirectUris", "postLogoutRedirectUris", "webOrigins", "scopes"] as const;

/** A PUT may repeat the null or empty members of a GET that the kind does not have. */
export function refuseOtherKind<M extends string>(input: { readonly [K in M]?: unknown }, members: readonly M[], kind: string): void {
  const isSaid = (value: unknown) => value != null && !(Array.isArray(value) && value.length === 0);
  const errors = members
    .filter((member) => isSaid(input[member]))
    .map((field) => ({ field, code: "unexpected", message: `${field} is for ${kind}` }));
  if (errors.length > 0) throw invalidFields(errors);
}

export async function createSamlApplication(ctx: Ctx, tools: ClientTools, input: CreateApplication): Promise<VersionedApplication> {
  refuseOtherKind(input, oidcMembers, "OIDC applications");
  const { entityId, assertionConsumerServiceUrl } = input;
  if (entityId === undefined || assertionConsumerServiceUrl === undefined) {
    const missing = (["entityId", "assertionConsumerServiceUrl"] as const).filter((member) => input[member] === undefined);
    throw invalidFields(missing.map((field) => ({ field, code: "required", message: `${field} is required for the template saml` })));
  }
  const name = applicationName(ctx.realm, entityId);
  if (input.name !== undefined && input.name !== name) {
    const message = `name of a SAML application is ${name}: leave it out, and call it something else by displayName`;
    throw invalidFields([{ field: "name", code: "saml", message }]);
  }
  const options = optionsOf(input);
  const client = await createSamlClient(recordedAs(ctx, name), tools, {
    entityId,
    assertionConsumerServiceUrl,
    singleLogoutServiceUrl: input.singleLogoutServiceUrl ?? null,
    enabled: input.enabled ?? true,
    options,
  });
  return toSamlApplication(client);
}

/** Other settings of the SAML client are kept. */
export async function saveSamlApplication(
  ctx: Ctx,
  tools: ClientTools,
  row: SamlClientRow,
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
  const { version: _, ...client } = showSamlClient(row);
  const saved = await saveSamlClient(recordedAs(ctx, current.name), tools, row.entityId, {
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

export const toSamlApplication = (row: SamlClientRow): VersionedApplication => ({
  realmId: row.realmId,
  name: applicationName(row.realmId, row.entityId),
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

/** One write leaves one event, and that says by which path the client was changed. */
export const recordedAs = (ctx: Ctx, name: string): Ctx => ({
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
