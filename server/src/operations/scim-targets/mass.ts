import { clock } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import { retryingConflicts, type UnitOfWork } from "../../platform/unit-of-work.ts";
import { countLeaving, hasHeld, hasLeaving, holdLeaving } from "./objects.store.ts";
import { type HeldTarget, noteHeld } from "./states.store.ts";

/** This many accounts may leave within an hour without a confirmation, or this share of all accounts if that is more. */
const FEW = 20;
const PART = 0.1;

/** Holds accounts that would be deactivated or deleted, if there are many, until an administrator confirms it. Everything else is sent. */
export async function holdMass({
  db,
  work,
  target,
}: {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly target: HeldTarget;
}): Promise<void> {
  if (target.heldAt !== null && !(await hasHeld(db, target))) await retryingConflicts(db, (tx) => noteHeld(tx, target, null));
  if (!(await hasLeaving(db, target))) return;
  const { leaving, accounts } = await countLeaving(db, target, clock.now());
  if (leaving <= Math.max(FEW, accounts * PART)) return;
  await work.transact({ realm: target.realm, actor: systemActor(target.realm), sourceIp: null }, async (ctx) => {
    const held = await holdLeaving(ctx.tx, target);
    if (held === 0) return;
    await noteHeld(ctx.tx, target, target.heldAt ?? ctx.now);
    if (target.heldAt !== null) return;
    ctx.audit({
      ...{ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "scim-targets", resourceId: target.targetId },
      outcome: "FAILURE",
      detail: `${held} of ${accounts} accounts would be deactivated or deleted: this waits for a confirmation`,
    });
  });
}
