import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Answer, SignInParts } from "../authenticators/index.ts";
import type { Ask } from "../flows/index.ts";
import { keep } from "./keep.ts";
import { type Outcome, originOf, type Run } from "./run.ts";

/** Where other sites send the browser back to, below the realm's own path. */
export const CONTINUE_PATH = "login/continue";

/** Of the `state`: which sign-in it belongs to, and what proves that it was this one that left. 80 characters, as much as RelayState takes. */
const STATE = /^([0-9a-f-]{36})[.]([\w-]{43})$/;
export function readState(state: string): { readonly interactionId: string; readonly token: string } | null {
  const [, interactionId, token] = STATE.exec(state) ?? [];
  return interactionId === undefined || token === undefined ? null : { interactionId, token };
}

/** On to another site. What the step needs when the browser comes back is stored first, with the hash of the token in `state`. */
export async function leaveFor(
  parts: SignInParts,
  run: Run,
  { path }: Ask,
  { to, data = {} }: Answer & { outcome: "leave" },
): Promise<Outcome<never>> {
  if (run.purpose !== "sign-in") return { outcome: "refuse", run, reason: "impossible", returnTo: null };
  const token = randomToken();
  const progress = { ...run.progress, data: { ...run.progress.data, [path]: data }, left: { path, hash: sha256(token) } };
  const kept = await parts.work.transact(originOf(run), (ctx) => keep(ctx, { ...run, progress }));
  const returnTo = `${parts.baseUrl}/realms/${run.realm.realmId}/${CONTINUE_PATH}`;
  return { outcome: "leave", run: kept, to: await to({ returnTo, state: `${kept.interaction!.interactionId}.${token}` }) };
}
