import { isDeepStrictEqual } from "node:util";
import { clock, HOUR } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { cut } from "../../kernel/text.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { asCreation, dueAfter, fetchProvider, importSamlClient, type ReadProvider } from "./import.service.ts";
import type { StoredMetadata } from "./metadata.ts";
import type { SamlClientTools } from "./service.ts";
import { claimDueMetadata, findSamlClient, noteMetadata } from "./store.ts";
import { faultsOfCreation } from "./valid-metadata.ts";

export interface RefreshParts extends SamlClientTools {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly outbound: Outbound;
}

const AT_ONCE = 4;
const MAX_PER_RUN = 500;

/** Reads the metadata that is due. A service provider that is down is asked again in an hour. Until then the imported values count. */
export async function refreshSamlMetadata(parts: RefreshParts): Promise<void> {
  for (let done = 0; done < MAX_PER_RUN; ) {
    const now = clock.now();
    const due = await claimDueMetadata(parts.db, now, { until: now + HOUR, limit: AT_ONCE });
    await Promise.all(due.map(({ realm, entityId, metadata }) => refreshOne(parts, realm, entityId, metadata)));
    done += due.length;
    if (due.length < AT_ONCE) return;
  }
}

async function refreshOne(parts: RefreshParts, realm: string, entityId: string, known: StoredMetadata | null): Promise<void> {
  if (!known?.refresh || known.url === null) return;
  const read = await readAgain(parts, entityId, { ...known, url: known.url });
  await parts.work.transact({ realm, actor: systemActor(realm), sourceIp: null }, (ctx) => store(ctx, parts, entityId, known, read));
}

/**
 * Returns the provider, or the reason why it could not be read. The entity must stay the same, because metadata of another would be another
 * client.
 */
async function readAgain(
  { outbound }: RefreshParts,
  entityId: string,
  { url, certificate = null }: StoredMetadata & { readonly url: string },
): Promise<ReadProvider | string> {
  try {
    const provider = await fetchProvider(outbound, { url, entityId, certificate });
    if (provider.entityId !== entityId) return `The metadata is that of ${provider.entityId} now`;
    return faultsOfCreation(asCreation(provider)) ?? provider;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  }
}

/** Stores the result, unless an administrator has removed the client or imported it again in the meantime. */
async function store(ctx: Ctx, parts: RefreshParts, entityId: string, known: StoredMetadata, read: ReadProvider | string): Promise<void> {
  const current = await findSamlClient(ctx.tx, ctx.realm, entityId, true);
  if (!current?.metadata || !isDeepStrictEqual(current.metadata, known)) return;
  const note = (more: Partial<StoredMetadata>, dueAt: number) => noteMetadata(ctx.tx, ctx.realm, current.id, { ...known, ...more }, dueAt);
  if (typeof read === "string") return note({ lastError: cut(read, 500) }, ctx.now + HOUR);
  if (isDeepStrictEqual(read.values, known.values))
    return note({ importedAt: ctx.now, validUntil: read.validUntil, lastError: null }, dueAfter(read, ctx.now));
  try {
    await importSamlClient(ctx, parts, read);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return note({ lastError: cut(error.message, 500) }, ctx.now + HOUR);
  }
}
