import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import type { Logger } from "pino";
import { findPasskey, insertPasskey, listPasskeys, type Passkey } from "../../directory/credentials/index.ts";
import { touchUser } from "../../directory/users/index.ts";
import { newId } from "../../kernel/ids.ts";
import { parseObject } from "../../kernel/json.ts";
import { cut } from "../../kernel/text.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { challengeIn } from "./assertion.ts";
import { type ChallengeFor, isSpent, judgeChallenge, makeChallenge, spendChallenge } from "./challenge.store.ts";
import { relyingPartyOf, textMembers, transportsOf, userHandleOf, webauthn } from "./relying-party.ts";

export interface RegistrationParts {
  readonly db: Db;
  readonly vault: Vault;
  readonly baseUrl: string;
  readonly log: Logger;
}

/** A user who adds a passkey. `whose` is the holder to whom the challenge is bound. */
export interface Registering {
  readonly realm: RealmSnapshot;
  readonly user: { readonly userId: string; readonly username: string };
  readonly whose: string;
  readonly now: number;
}

const purpose = ({ realm, whose, user }: Registering): ChallengeFor => ({
  realm: realm.realmId,
  ceremony: "create",
  whose: `${user.userId} ${whose}`,
});

/** Returns the options for `navigator.credentials.create()`. They exclude the user's passkeys, so that no device makes a second one. */
export async function creationOptions({ db, vault, baseUrl }: RegistrationParts, registering: Registering) {
  const { realm, user, now } = registering;
  const { authenticatorAttachment, residentKey, userVerification } = realm.settings.passkeys;
  const party = relyingPartyOf(realm, baseUrl);
  const own = await listPasskeys(db, realm.realmId, user.userId);
  const { generateRegistrationOptions } = await webauthn();
  return generateRegistrationOptions({
    ...{ rpName: party.name, rpID: party.id, userName: user.username, userDisplayName: user.username },
    userID: new Uint8Array(Buffer.from(userHandleOf(realm.realmId, user.userId), "base64url")),
    challenge: makeChallenge(vault, purpose(registering), now),
    // Any model of passkey is accepted, so it need not be attested.
    attestationType: "none",
    excludeCredentials: own.map(({ credentialId, transports }) => ({ id: credentialId, transports: transportsOf(transports) })),
    authenticatorSelection: { residentKey, userVerification, ...(authenticatorAttachment !== null && { authenticatorAttachment }) },
  });
}

/** A passkey that may be added by the holder of its challenge. */
export interface NewPasskey {
  readonly passkey: Passkey;
  readonly challenge: string;
  readonly userVerified: boolean;
}

/** Verifies a registration. This is the slow work before the transaction. */
export async function checkRegistration(
  { vault, baseUrl, log }: RegistrationParts,
  registering: Registering,
  text: string,
): Promise<NewPasskey | "expired" | "refused"> {
  const { realm, user, now } = registering;
  const response = await readRegistration(text);
  const challenge = response && challengeIn(response.response.clientDataJSON);
  if (!response || challenge === null) return "refused";
  const verdict = judgeChallenge(vault, purpose(registering), challenge, now);
  if (verdict !== "good") return verdict === "expired" ? "expired" : "refused";
  const party = relyingPartyOf(realm, baseUrl);
  const { verifyRegistrationResponse } = await webauthn();
  const checked = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: realm.settings.passkeys.userVerification === "required",
  }).catch((error: Error) => {
    log.debug({ reason: error.message }, "a new passkey was refused");
    return null;
  });
  if (!checked?.verified) return "refused";
  const { credential, aaguid, credentialBackedUp: backedUp, credentialDeviceType: deviceType, userVerified } = checked.registrationInfo;
  const passkey = {
    ...{ id: newId(), userId: user.userId, publicKey: Buffer.from(credential.publicKey).toString("base64url") },
    ...{ credentialId: credential.id, counter: credential.counter, transports: transportsOf(credential.transports) },
    ...{ aaguid, backedUp, deviceType, label: null, userHandle: userHandleOf(realm.realmId, user.userId) },
  };
  return { passkey, challenge, userVerified };
}

/** WebAuthn §4: an id has at most 1023 bytes. */
const LONGEST_ID = 1_364;

async function readRegistration(text: string): Promise<RegistrationResponseJSON | null> {
  const sent = parseObject(text);
  const outer = sent && textMembers(sent, ["id", "rawId", "type"]);
  const inner = sent && textMembers(sent.response, ["clientDataJSON", "attestationObject"]);
  if (!outer || !inner || outer.type !== "public-key" || outer.id.length > LONGEST_ID || !(await isUnattested(inner.attestationObject)))
    return null;
  const transports = transportsOf((sent.response as { transports?: unknown }).transports);
  return { ...outer, type: "public-key", response: { ...inner, transports }, clientExtensionResults: {} };
}

/**
 * Tells whether a passkey has no attestation by certificates. None was requested, so none is read: certificates from a client would make
 * the library fetch the addresses in them. Self attestation has none.
 */
async function isUnattested(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject } = await webauthn();
  try {
    const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, "base64url")));
    const format = decoded.get("fmt");
    return format === "none" || (format === "packed" && decoded.get("attStmt").get("x5c") === undefined);
  } catch {
    return false; // The text is not CBOR. The caller reports a failure.
  }
}

/** Returns the reason why a passkey cannot be added, or null if it can. */
export async function whyNotAdded(db: Db, { realmId, settings }: RealmSnapshot, { passkey, challenge }: NewPasskey) {
  if (await findPasskey(db, realmId, passkey.credentialId)) return "taken";
  if ((await listPasskeys(db, realmId, passkey.userId)).length >= settings.passkeys.maxPerUser) return "too-many";
  return (await isSpent(db, realmId, challenge)) ? "spent" : null;
}

/** Adds a passkey. The user's row must be locked, so that concurrent requests cannot exceed the limit. */
export async function addPasskey(
  ctx: Ctx,
  { settings }: RealmSnapshot,
  { passkey, challenge }: NewPasskey,
  label: string | null,
): Promise<"added" | "taken" | "too-many" | "spent"> {
  const { userId } = passkey;
  const own = await listPasskeys(ctx.tx, ctx.realm, userId);
  if (own.length >= settings.passkeys.maxPerUser) return "too-many";
  if (!(await spendChallenge(ctx.tx, ctx.realm, challenge, ctx.now))) return "spent";
  if (!(await insertPasskey(ctx.tx, ctx.realm, { ...passkey, label }, ctx.now))) return "taken";
  // The user's record states whether there is a second factor.
  await touchUser(ctx.tx, ctx.realm, userId);
  ctx.audit({ category: "SECURITY", type: "CREDENTIAL_ADDED", resourceType: "users", resourceId: userId, detail: "passkey" });
  await ctx.emit("user.credentials_changed", { userId });
  return "added";
}

/** Returns the name that was entered, or null if it is empty. */
export const cleanLabel = (typed: string | undefined): string | null =>
  cut((typed ?? "").replace(/[\p{Cc}\s]+/gu, " ").trim(), 255).trim() || null;
