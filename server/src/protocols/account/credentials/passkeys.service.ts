import type { FastifyRequest } from "fastify";
import { credentialErrors, renamePasskey } from "../../../directory/credentials/index.ts";
import { addFirstRecoveryCodes, type Credential, readCredentials, takeOwnUser } from "../../../directory/users/index.ts";
import { clock } from "../../../kernel/clock.ts";
import { defineErrors } from "../../../kernel/errors.ts";
import { isId } from "../../../kernel/ids.ts";
import type { Ctx, ReadCtx } from "../../../platform/context.ts";
import { addPasskey, checkRegistration, type Registering, type RegistrationParts } from "../../../signin/passkeys/index.ts";
import { proveByEnrolling } from "../../../signin/sessions/index.ts";
import { assertMayChangeSignIn, changeSignIn } from "../audience.ts";

const errors = defineErrors("passkeys", {
  refused: [400, "The browser's credential cannot be used: request new options and try again"],
  expired: [400, "The options have expired or were already used: request new ones and try again"],
  taken: [409, "This passkey already belongs to an account"],
  too_many: [409, "You have the maximum number of passkeys: remove one first"],
});

/** Begins a registration. Only the user who requested the options can use them, from the same session or with a token of it. */
export async function ownRegistration(req: FastifyRequest): Promise<Registering> {
  await req.read((ctx) => assertMayChangeSignIn(ctx, req.client));
  const { id: userId, name: username, sessionId } = req.actor!;
  return { realm: req.realm, user: { userId, username }, whose: `account ${sessionId ?? ""}`, now: clock.now() };
}

export async function addOwnPasskey(
  parts: RegistrationParts,
  req: FastifyRequest,
  registering: Registering,
  /** The credential that the browser made, as JSON. */
  credential: string,
  label: string | null,
): Promise<Credential & { codes?: string[] }> {
  const made = await checkRegistration(parts, registering, credential);
  if (typeof made === "string") throw errors[made]();
  return changeSignIn(req, async (ctx) => {
    await takeOwnUser(ctx);
    const outcome = await addPasskey(ctx, registering.realm, made, label);
    if (outcome === "spent") throw errors.expired();
    if (outcome !== "added") throw outcome === "taken" ? errors.taken() : errors.too_many();
    await proveByEnrolling(ctx, { authenticator: "passkey", amr: [made.passkey.deviceType === "singleDevice" ? "hwk" : "swk", "user"] });
    const added = await ownCredential(ctx, made.passkey.id);
    const codes = await addFirstRecoveryCodes(ctx, ctx.actor.id);
    return codes ? { ...added, codes } : added;
  });
}

export async function renameOwnPasskey(ctx: Ctx, id: string, label: string | null): Promise<Credential> {
  const { userId } = await takeOwnUser(ctx);
  if (!isId(id) || !(await renamePasskey(ctx.tx, ctx.realm, userId, id, label))) throw credentialErrors.not_found();
  ctx.audit({ category: "SECURITY", type: "PROFILE_CHANGED", resourceType: "users", resourceId: userId, detail: "passkey label" });
  return ownCredential(ctx, id);
}

const ownCredential = async (ctx: ReadCtx, wanted: string): Promise<Credential> =>
  (await readCredentials(ctx, ctx.actor.id)).find(({ id }) => id === wanted)!;
