import type { Ctx } from "../../platform/context.ts";
import { updateRows } from "../../platform/db/index.ts";
import { browserOf, levelOf, proofsOf, type SessionProof, storedProofs } from "./proofs.ts";

/** Adds to the session the proof of a second factor that was set up in it, as in a sign-in that sets one up. */
export async function proveByEnrolling(ctx: Ctx, proof: Pick<SessionProof, "authenticator" | "amr">): Promise<void> {
  const { id: userId, sessionId } = ctx.actor;
  if (sessionId === null) return;
  const session = ctx.tx
    .selectFrom("sessions")
    .select(["auth_time", "amr", "proofs"])
    .where((e) => e.and({ realm_id: ctx.realm, session_id: sessionId, user_id: userId }))
    .where("impersonator", "is", null)
    .forUpdate();
  const row = await session.executeTakeFirst();
  if (!row) return;
  const { auth_time: authTime, amr } = row;
  const passed: readonly SessionProof[] = [
    ...proofsOf(row.proofs, { authTime, amr }),
    { ...proof, flow: "account", factor: "possession", at: ctx.now },
  ];
  const isTwo = levelOf(passed) === "2";
  const methods = new Set([...amr, ...proof.amr, ...(isTwo ? ["mfa"] : [])]);
  await updateRows(
    ctx.tx,
    "sessions",
    { realm_id: ctx.realm, session_id: sessionId },
    {
      acr: isTwo ? "2" : null,
      amr: JSON.stringify([...methods]),
      proofs: JSON.stringify(storedProofs(authTime, passed, browserOf(row.proofs, authTime))),
    },
  );
}
