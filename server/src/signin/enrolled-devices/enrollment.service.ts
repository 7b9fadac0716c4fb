import { addFirstRecoveryCodes, holdUserForSignIn, touchUser } from "../../directory/users/index.ts";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { hmac, randomToken, safeEqual, sha256, type Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { RequestSource, UnitOfWork } from "../../platform/unit-of-work.ts";
import { findProvider, keepDeviceToken } from "../../tenancy/messaging/index.ts";
import { devicesOf, type Enrollment, findEnrollment, PUSH, saveDevice, useEnrollment } from "./devices.store.ts";
import type { EnrollDevice, EnrolledDevice, EnrollmentStart } from "./enrollment.schema.ts";
import { deviceErrors } from "./errors.ts";
import { type DeviceKey, deviceAlgs, readDeviceKey, readProof } from "./keys.ts";
import { ownerOf } from "./prover.ts";

export interface EnrollmentParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly vault: Vault;
  readonly baseUrl: string;
}

/** A device that enrolls with the user's token. */
export interface Enrolling {
  readonly realm: string;
  readonly token: string;
  readonly from: RequestSource;
}

const CHALLENGE_LIFETIME = 10 * MINUTE;
const MAX_DEVICES = 20;

const audienceOf = (baseUrl: string, realm: string) => `${baseUrl}/realms/${realm}/device/enroll`;

/** Creates challenges that are bound to the token and to a time. They are not stored, because the token already limits them to one use. */
function enrollmentChallenges(vault: Vault) {
  const key = vault.derive("devices.enrollment");
  const sign = (realm: string, token: string, expiresAt: string, random: string) =>
    hmac(key, [realm, sha256(token), expiresAt, random].join("\u0000"));
  return {
    issue(realm: string, token: string, expiresAt: number): string {
      const random = randomToken();
      return `${expiresAt}.${random}.${sign(realm, token, String(expiresAt), random)}`;
    },
    accepts(realm: string, token: string, challenge: unknown, now: number): boolean {
      const [expiresAt = "", random = "", signature = ""] = typeof challenge === "string" ? challenge.split(".") : [];
      return safeEqual(signature, sign(realm, token, expiresAt, random)) && Number(expiresAt) > now;
    },
  };
}

async function enrollmentOf({ db }: EnrollmentParts, { realm, token }: Enrolling): Promise<Enrollment> {
  const enrollment = await findEnrollment(db, realm, sha256(token), clock.now());
  if (!enrollment) throw deviceErrors.bad_token();
  return enrollment;
}

export async function startEnrollment(parts: EnrollmentParts, who: Enrolling): Promise<EnrollmentStart> {
  const { username, label, expiresAt: lastsUntil } = await enrollmentOf(parts, who);
  const expiresAt = Math.min(lastsUntil, clock.now() + CHALLENGE_LIFETIME);
  const provider = await findProvider(parts.db, parts.vault, who.realm, "PUSH");
  return {
    challenge: enrollmentChallenges(parts.vault).issue(who.realm, who.token, expiresAt),
    audience: audienceOf(parts.baseUrl, who.realm),
    algorithms: [...deviceAlgs],
    realm: who.realm,
    username,
    label,
    pushDriver: provider?.driver ?? null,
    expiresAt,
  };
}

/** Enrolls a device, which proves that it has the key. Its user can then approve sign-ins and sign transactions with it. */
export async function enrollDevice(parts: EnrollmentParts, who: Enrolling, input: EnrollDevice): Promise<EnrolledDevice> {
  const enrollment = await enrollmentOf(parts, who);
  const key = readDeviceKey(input.key);
  const proven = await readProof(key, input.proof, { typ: "gatehouse-enroll+jwt", audience: audienceOf(parts.baseUrl, who.realm) });
  if (!proven)
    throw deviceErrors.bad_proof(
      "it has to be signed by the key that is sent, with typ gatehouse-enroll+jwt, the given aud, and a fresh iat",
    );
  if (!enrollmentChallenges(parts.vault).accepts(who.realm, who.token, proven.challenge, clock.now())) throw deviceErrors.bad_challenge();
  const origin = { realm: who.realm, actor: ownerOf(who.realm, enrollment), ...who.from };
  return parts.work.transact(origin, (ctx) => addDevice(ctx, parts.vault, enrollment, key, input));
}

async function addDevice(ctx: Ctx, vault: Vault, enrollment: Enrollment, key: DeviceKey, input: EnrollDevice): Promise<EnrolledDevice> {
  const { userId, username } = enrollment;
  // The user is locked for writing, so that the second of two requests with the same token finds it used.
  const isOpen = (await holdUserForSignIn(ctx.tx, ctx.realm, userId, { toWrite: true })) !== null;
  if (!isOpen || !(await useEnrollment(ctx.tx, ctx.realm, enrollment))) throw deviceErrors.bad_token();
  if ((await devicesOf(ctx.tx, ctx.realm, userId)).count >= MAX_DEVICES) throw deviceErrors.too_many();
  const { pushToken, name } = input;
  // The key and the push token have one id, because to administrators they are one device.
  const id = pushToken ? await keepDeviceToken(ctx, vault, { userId, ...pushToken, deviceName: name }) : newId();
  if (id === null) throw deviceErrors.push_token_taken();
  await saveDevice(ctx.tx, ctx.realm, userId, { id, key, label: name, platform: input.platform ?? null }, ctx.now);
  // The user's record states whether there is a second factor.
  await touchUser(ctx.tx, ctx.realm, userId);
  await ctx.emit("user.credentials_changed", { userId });
  ctx.audit({ category: "SECURITY", type: "CREDENTIAL_ADDED", resourceType: "users", resourceId: userId, detail: PUSH });
  const codes = await addFirstRecoveryCodes(ctx, userId);
  return { deviceId: id, name, alg: key.alg, username, createdAt: ctx.now, ...(codes && { codes }) };
}
