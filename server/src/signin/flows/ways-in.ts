import type { Ctx, DomainEvents } from "../../platform/context.ts";
import { type Equipped, equippedUser } from "./equipped.store.ts";
import { couldPass } from "./passable.ts";
import { BROWSER_FLOW, stepsOf } from "./service.ts";

type GivenUp = DomainEvents["user.way_in_given_up"];

/** Handles `user.way_in_given_up`: refuses it if the user could pass the realm's own flow with it, and cannot with the rest. */
export async function keepWayIn(ctx: Ctx, { userId, lost, refused }: GivenUp): Promise<void> {
  const left = await equippedUser(ctx.tx, ctx.realm, userId, ctx.now);
  if (!left) return;
  const steps = await stepsOf(ctx, BROWSER_FLOW);
  if (couldPass(steps, withLost(left, lost)) && !couldPass(steps, left)) throw refused();
}

const withLost = ({ user, usable, isLinked }: Equipped, { credential, link, profile }: GivenUp["lost"]): Equipped => ({
  user: { ...user, ...profile, credentials: withType(user.credentials, credential) },
  usable: withType(usable, credential),
  isLinked: isLinked || link === true,
});

const withType = (types: ReadonlySet<string>, type: string | undefined) => (type === undefined ? types : new Set([...types, type]));
