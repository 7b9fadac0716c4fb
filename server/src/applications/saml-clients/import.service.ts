import { clock, DAY, HOUR } from "../../kernel/clock.ts";
import { AppError, type FieldError, invalidFields } from "../../kernel/errors.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { type Outbound, OutboundError } from "../../platform/outbound/index.ts";
import { METADATA_BYTES, MetadataChoice, readMetadata, SamlError, verificationKey } from "../../platform/saml/index.ts";
import { type Imported, importedFrom, type StoredMetadata, withMetadata } from "./metadata.ts";
import { entityIdErrors } from "./rules.ts";
import type { CreateSamlClient, ImportSamlClient } from "./schema.ts";
import { assertRules, type SamlClientTools } from "./service.ts";
import { findSamlClient, insertSamlClient, type SamlClientRow, updateSamlClient } from "./store.ts";

/** A service provider as its metadata describes it, read and verified, before anything is stored. */
export interface ReadProvider {
  readonly entityId: string;
  readonly url: string | null;
  readonly validUntil: number | null;
  readonly values: Imported;
  /** The time for which the metadata may be kept. Null if it names none. */
  readonly cacheDuration: number | null;
  readonly certificate: string | null;
  /** True if the server reads the metadata again by itself. */
  readonly refresh: boolean;
}

/** Returns when the metadata is read again: daily, or earlier if the metadata says so, but at most hourly. */
export const dueAfter = ({ cacheDuration }: Pick<ReadProvider, "cacheDuration">, now: number): number =>
  now + Math.min(DAY, Math.max(HOUR, cacheDuration ?? DAY));

const TIMEOUT_MS = 10_000;
const MAX_LISTED = 50;

const refused = (field: string, code: string, message: string, cause?: unknown) =>
  new AppError("request.invalid", 400, message, { errors: [{ field, code, message }], cause });

/** Reads metadata. `certificate` is the one with which it has to be signed. */
export function readProvider(
  bytes: Uint8Array,
  {
    now,
    entityId,
    certificate = null,
    url = null,
    refresh = false,
  }: { now: number; entityId?: string; certificate?: string | null; url?: string | null; refresh?: boolean },
): ReadProvider {
  const keys = certificate == null ? [] : [pinned(certificate)];
  try {
    const metadata = readMetadata(bytes, { now, keys, role: "sp", ...(entityId !== undefined && { entityId }) });
    const { validUntil, cacheDuration } = metadata;
    return { entityId: metadata.entityId, url, validUntil, cacheDuration, certificate, refresh, values: importedFrom(metadata) };
  } catch (cause) {
    if (cause instanceof MetadataChoice) throw choice(cause);
    if (cause instanceof SamlError) throw refused(url === null ? "body" : "url", `metadata.${cause.reason}`, cause.message, cause);
    throw cause;
  }
}

function pinned(certificate: string) {
  try {
    return verificationKey(certificate);
  } catch (cause) {
    if (cause instanceof SamlError) throw refused("certificate", "certificate", `certificate: ${cause.message}`, cause);
    throw cause;
  }
}

function choice({ entityIds }: MetadataChoice): AppError {
  const errors: FieldError[] = entityIds.slice(0, MAX_LISTED).map((message) => ({ field: "entityId", code: "choice", message }));
  const more = entityIds.length > MAX_LISTED ? ` The first ${MAX_LISTED} of ${entityIds.length} are listed.` : "";
  const message = `The metadata describes ${entityIds.length} service providers: say by entityId which one is meant.${more}`;
  return new AppError("saml_clients.metadata_choice", 400, message, { errors });
}

/** Fetches metadata before any transaction is open, because the peer may be slow. */
export async function fetchProvider(outbound: Outbound, input: ImportSamlClient): Promise<ReadProvider> {
  const { url, entityId, certificate = null, refresh = true } = input;
  if (certificate !== null) pinned(certificate);
  const body = await fetchMetadata(outbound, url);
  return readProvider(body, { now: clock.now(), certificate, url, refresh, ...(entityId !== undefined && { entityId }) });
}

async function fetchMetadata(outbound: Outbound, url: string): Promise<Buffer> {
  try {
    const { status, body } = await outbound.fetch(url, {
      headers: { accept: "application/samlmetadata+xml, application/xml;q=0.9, text/xml;q=0.8" },
      timeoutMs: TIMEOUT_MS,
      maxBytes: METADATA_BYTES,
    });
    if (status === 200) return body;
    const isRedirect = status >= 300 && status < 400;
    const advice = isRedirect ? "redirects are not followed, so give the address where the metadata is" : "there is no metadata";
    throw refused("url", "status", `url answered ${status}: ${advice}`);
  } catch (cause) {
    if (cause instanceof OutboundError) throw refused("url", cause.reason, `url: ${cause.message}`, cause);
    throw cause;
  }
}

/** Returns the request that would create the client, because its schema applies to imports too. */
export const asCreation = ({ entityId, values }: ReadProvider): CreateSamlClient => {
  const { stored, name } = withMetadata(null, null, values);
  return { entityId, ...stored, options: { ...stored.options, name } } as unknown as CreateSamlClient;
};

export interface Import {
  readonly client: SamlClientRow;
  readonly isNew: boolean;
}

/** Returns the record that an import would save. */
export async function previewImport(ctx: ReadCtx, tools: SamlClientTools, provider: ReadProvider): Promise<SamlClientRow> {
  const current = await findSamlClient(ctx.tx, ctx.realm, provider.entityId);
  const state = await stateAfter(ctx, tools, provider, current);
  const made = { realmId: ctx.realm, id: "", entityId: provider.entityId, createdAt: ctx.now, version: 0 };
  return { ...(current ?? made), ...state, updatedAt: ctx.now };
}

export async function importSamlClient(ctx: Ctx, tools: SamlClientTools, provider: ReadProvider): Promise<Import> {
  const { entityId, url } = provider;
  const current = await findSamlClient(ctx.tx, ctx.realm, entityId, true);
  const state = await stateAfter(ctx, tools, provider, current);
  const client = current
    ? await updateSamlClient(ctx.tx, ctx.realm, current.id, state, ctx.now)
    : await insertSamlClient(ctx.tx, ctx.realm, entityId, state, ctx.now);
  const detail = url === null ? "imported" : `imported from ${url}`;
  const type = current ? "ADMIN_UPDATE" : "ADMIN_CREATE";
  await recordConfigChange(ctx, type, "saml-clients", entityId, detail);
  return { client, isNew: current === null };
}

async function stateAfter(ctx: ReadCtx, { baseUrl }: SamlClientTools, provider: ReadProvider, current: SamlClientRow | null) {
  const { entityId, url, validUntil, values } = provider;
  const own = current ? [] : entityIdErrors(entityId, baseUrl);
  if (own.length > 0) throw invalidFields(own);
  const record = withMetadata(current, current?.metadata?.values ?? null, values);
  await assertRules(ctx, baseUrl, record.stored);
  const { certificate, refresh } = provider;
  const metadata: StoredMetadata = { url, importedAt: ctx.now, validUntil, values, refresh, certificate, lastError: null };
  return { ...record, enabled: current?.enabled ?? true, metadata, metadataDueAt: refresh ? dueAfter(provider, ctx.now) : null };
}
