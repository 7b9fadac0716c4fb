import type { ReadCtx } from "../../platform/context.ts";
import { dryRun } from "./dry-run.ts";
import { scimTargetErrors } from "./errors.ts";
import { createPeer, type Peer } from "./peer.ts";
import type { ScimTargetPlan, ScimTargetTest } from "./schema.ts";
import { digestKey, openSecret } from "./secrets.ts";
import { readOwnTarget, type Tools } from "./service.ts";
import type { TargetRow } from "./store.ts";
import { testTarget } from "./test-call.ts";

/** Returns the peer of a stored target: the stored secret is sent to the stored address only. */
function peerOf({ vault, outbound }: Tools, target: TargetRow): Peer {
  if (target.sealed === null) throw scimTargetErrors.no_secret();
  const secret = openSecret(vault, target.realmId, target.id, target.sealed);
  return createPeer({ outbound, url: target.url, settings: target, secret });
}

/** Tests a target, even if it is disabled. */
export async function test(ctx: ReadCtx, tools: Tools, targetId: string): Promise<ScimTargetTest> {
  const target = await readOwnTarget(ctx, targetId);
  return testTarget(peerOf(tools, target), target.groups.mode !== "none");
}

export async function plan(ctx: ReadCtx, tools: Tools, targetId: string, resend: boolean): Promise<ScimTargetPlan> {
  const target = await readOwnTarget(ctx, targetId);
  const parts = { db: ctx.tx, peer: peerOf(tools, target), key: await digestKey(ctx.tx, tools.vault), resends: resend };
  return dryRun({ ...parts, target: { realm: ctx.realm, targetId: target.id, settings: target } });
}
