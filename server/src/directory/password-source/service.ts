import { invalidFields } from "../../kernel/errors.ts";
import type { Vault } from "../../kernel/vault.ts";
import { type Ctx, type ReadCtx, recordConfigChange } from "../../platform/context.ts";
import { lockRealm } from "../../platform/db/index.ts";
import { type Outbound, receiverFaults } from "../../platform/outbound/index.ts";
import { expectVersion } from "../../platform/versions.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { secretNeeded } from "./errors.ts";
import type { PasswordSourceRecord, UpdatePasswordSource } from "./schema.ts";
import { deleteSource, findSource, type StoredSource, saveSource, secretPlace } from "./store.ts";

export interface SourceTools {
  readonly vault: Vault;
  readonly outbound: Outbound;
}

const shown = ({ url, enabled, secret, version }: StoredSource): PasswordSourceRecord & { version: number } => ({
  ...{ url, enabled, version },
  secretSet: secret !== null,
});

export const readSource = async (ctx: ReadCtx) => shown(await findSource(ctx.tx, ctx.realm));

/** Replaces the password source. It can act as every user about whom it is asked, so only a holder of `realm-admin` may set it. */
export async function replaceSource(ctx: Ctx, { vault, outbound }: SourceTools, input: UpdatePasswordSource) {
  assertHolds(ctx.actor, ["realm-admin"]);
  await lockRealm(ctx.tx, ctx.realm);
  const current = await findSource(ctx.tx, ctx.realm);
  expectVersion(ctx, current.version);
  const { url, enabled = true, secret } = input;
  if (url === null) await deleteSource(ctx.tx, ctx.realm);
  else {
    const faults = receiverFaults(outbound, "url", url);
    if (faults.length > 0) throw invalidFields(faults);
    const isSameHost = current.url !== null && new URL(current.url).origin === new URL(url).origin;
    if (secret === undefined && !isSameHost) throw secretNeeded();
    const sealed = secret === undefined ? current.secret! : vault.seal(secret, secretPlace(ctx.realm));
    await saveSource(ctx.tx, ctx.realm, { url, enabled, secret: sealed }, ctx.now);
  }
  await recordConfigChange(ctx, "ADMIN_UPDATE", "password-source", ctx.realm);
  return shown(await findSource(ctx.tx, ctx.realm));
}
