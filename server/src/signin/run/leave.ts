import { randomToken, sha256 } from "../../kernel/vault.ts";
import type { Answer, SignInParts } from "../authenticators/index.ts";
import type { Ask } from "../flows/index.ts";
import { keep } from "./keep.ts";
import { impossible, type Outcome, originOf, type Run } from "./run.ts";

/** The path to which other sites redirect back, below the realm. */
export const CONTINUE_PATH = "login/continue";

/** The form of `state`: the interaction id and a token. It has 80 characters, the limit of SAML's RelayState. */
const STATE = /^([0-9a-f-]{36})[.]([\w-]{43})$/;
export function readState(state: string): { readonly interactionId: string; readonly token: string } | null {
  const [, interactionId, token] = STATE.exec(state) ?? [];
  return interactionId === undefined || token === undefined ? null : { interactionId, token };
}

/** Redirects to another site. Stores the step's data and the hash of the token in `state` first. */
export async function leaveFor(
  parts: SignInParts,
  run: Run,
  { path }: Ask,
  { to, data = {} }: Answer & { outcome: "leave" },
): Promise<Outcome<never>> {
  if (run.purpose !== "sign-in") return impossible(run);
  const token = randomToken();
  const progress = { ...run.progress, data: { ...run.progress.data, [path]: data }, left: { path, hash: sha256(token) } };
  const kept = await parts.work.transact(originOf(run), (ctx) => keep(ctx, { ...run, progress }));
  const returnTo = `${parts.baseUrl}/realms/${run.realm.realmId}/${CONTINUE_PATH}`;
  return { outcome: "leave", run: kept, to: await to({ returnTo, state: `${kept.interaction!.interactionId}.${token}` }) };
}
