import type { KeyObject } from "node:crypto";
import { NO_ID } from "../../kernel/ids.ts";
import type { Db } from "../../platform/db/index.ts";
import { criteriaOf, findRemote, groupCriteria } from "./accounts.ts";
import { userNameOf } from "./mapping.ts";
import { ObjectRefused, type Peer, PeerError } from "./peer.ts";
import { readPeople, readTeams } from "./people.store.ts";
import type { PlannedAction, ScimTargetPlan } from "./schema.ts";
import type { HeldTarget, WalkPhase } from "./states.store.ts";
import { compareChunk, type Difference } from "./walk.ts";

export interface DryRunParts {
  readonly db: Db;
  readonly target: Pick<HeldTarget, "realm" | "targetId" | "settings">;
  readonly peer: Peer;
  readonly key: KeyObject;
  readonly resends: boolean;
}

/** Less than the time that a request may take. */
const TIME_LIMIT = 20_000;
const SHOWN = 100;

/** Returns the plan of a full sync. It asks the target by GET whether it has the first new users and groups already. */
export async function dryRun(parts: DryRunParts): Promise<ScimTargetPlan> {
  const endsAt = performance.now() + TIME_LIMIT;
  const counts: Record<PlannedAction, number> = { create: 0, adopt: 0, update: 0, deactivate: 0, delete: 0, refuse: 0 };
  const items: ScimTargetPlan["items"] = [];
  let [unchanged, complete] = [0, true];
  for (const phase of ["users", "accounts", "groups", "former-groups"] satisfies WalkPhase[]) {
    for (let after: string | null = NO_ID; after !== null; ) {
      if (performance.now() > endsAt) {
        complete = false;
        break;
      }
      const chunk = await compareChunk(parts, phase, after, parts.resends);
      unchanged += chunk.unchanged;
      for (const difference of chunk.differences) {
        const isShown = items.length < SHOWN && performance.now() < endsAt;
        const planned = await actionOf(parts, difference, isShown);
        if (planned === null) continue;
        counts[planned.action] += 1;
        if (isShown) items.push({ kind: difference.kind, id: difference.id, name: difference.name, ...planned });
      }
      after = chunk.after;
    }
  }
  return { dryRun: true, requested: false, complete, unchanged, counts, items };
}

interface Planned {
  readonly action: PlannedAction;
  readonly reason?: string;
}

async function actionOf(parts: DryRunParts, { object, wanted, ...of }: Difference, asks: boolean): Promise<Planned | null> {
  if (wanted.act === "refuse") return { action: "refuse", reason: wanted.reason };
  const isThere = object !== undefined && object.remote_id !== null;
  if (wanted.act !== "keep") return isThere && wanted.act !== "none" ? { action: wanted.act } : null;
  if (isThere) return { action: "update" };
  if (!asks) return { action: "create" };
  try {
    return { action: (await isKnown(parts, of)) ? "adopt" : "create" };
  } catch (error) {
    if (!(error instanceof ObjectRefused) && !(error instanceof PeerError)) throw error;
    return { action: "refuse", reason: error.message };
  }
}

async function isKnown({ db, target, peer }: DryRunParts, { kind, id }: Pick<Difference, "kind" | "id">): Promise<boolean> {
  if (kind === "group") {
    const team = (await readTeams(db, target, [id])).get(id);
    return team !== undefined && (await findRemote(peer, "/Groups", groupCriteria(peer, id, team.name))) !== null;
  }
  const person = (await readPeople(db, target, [id])).get(id);
  if (!person) return false;
  const criteria = criteriaOf(target.settings, peer, person, userNameOf(target.settings, person)!);
  return (await findRemote(peer, "/Users", criteria)) !== null;
}
