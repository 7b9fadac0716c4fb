import Type from "typebox";
import { findPasskey, listPasskeys, type Passkey, suspectPasskey, usePasskey } from "../../directory/credentials/index.ts";
import { PasskeyBeside, UsePasskey } from "../../pages/index.ts";
import { anonymousActor } from "../../platform/context.ts";
import { oneOf } from "../../platform/http/index.ts";
import * as passkeys from "../passkeys/index.ts";
import { type Answer, type Proof, type Question, question, type StepContext } from "./authenticator.ts";
import { isProven } from "./progress.ts";
import { isTicked } from "./username.tsx";

/** Asks for a passkey: alone, when it identifies the user and its device verifies them, or as a second factor of a known user. */
export const passkey: Question = {
  ...question,
  displayName: "Passkey",
  description: "Asks for a passkey: alone instead of name and password, or as a second factor",
  config: Type.Object(
    {
      setUp: Type.Optional(Type.Boolean({ default: true, description: "Offer to set one up to those who have none" })),
      userVerification: Type.Optional(
        oneOf(["required", "preferred", "discouraged"], {
          description:
            "As a second factor: whether its device asks for finger, face or PIN. Alone it always has to. Default: as the realm says",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  identifies: true,
  factor: "both",
  // A signature cannot be guessed.
  counted: null,
  setUp: "CONFIGURE_PASSKEY",
  fields: ["credential"],
  choice: "choosePasskey",
  needsScripts: true,
  refusal: { title: "passkeyWrongTitle", text: "passkeyWrongText" },
  // Before a proof, everybody may have a passkey. A disabled passkey counts too, because its owner must not be asked to set up another.
  available: async (at) => !isSecond(at) || at.user!.credentials.has("passkey"),
  page: async (at, text) => ({
    title: "passkeyTitle",
    lead: text.passkeyText,
    body: <UsePasskey text={text} options={await optionsFor(at)} />,
    script: "passkey.js",
  }),
  // A passkey as second factor has its own page.
  beside: async (at, text) =>
    isSecond(at) ? null : { script: "passkey.js", body: <PasskeyBeside text={text} options={await optionsFor(at)} /> },
  answer,
};

const isSecond = ({ user, progress }: StepContext): boolean => user !== null && isProven(progress);

const verificationFor = (at: StepContext): passkeys.UserVerification =>
  isSecond(at)
    ? ((at.config.userVerification as passkeys.UserVerification | undefined) ?? at.realm.settings.passkeys.userVerification)
    : "required";

const challengeFor = ({ realm, visitor }: StepContext) => ({ realm: realm.realmId, ceremony: "get", whose: visitor.preSession }) as const;

/** Returns the options for the browser. Only an authenticated user gets the list of their passkeys. */
async function optionsFor(at: StepContext): Promise<string> {
  const { parts, realm, now } = at;
  return passkeys.assertionOptions({
    party: passkeys.relyingPartyOf(realm, parts.baseUrl),
    challenge: passkeys.makeChallenge(parts.vault, challengeFor(at), now),
    allowed: isSecond(at) ? await listPasskeys(parts.db, realm.realmId, at.user!.userId) : [],
    userVerification: verificationFor(at),
  });
}

const wrong = { outcome: "wrong", title: "passkeyWrongTitle", text: "passkeyWrongText" } as const satisfies Answer;

async function answer(at: StepContext, form: Readonly<Record<string, string>>): Promise<Answer> {
  const { parts, realm, now } = at;
  const assertion = passkeys.readAssertion(form.credential ?? "");
  if (!assertion) return wrong;
  const { challenge } = assertion;
  const verdict = passkeys.judgeChallenge(parts.vault, challengeFor(at), challenge, now);
  if (verdict === "expired") return { outcome: "again", problem: { title: "passkeyExpiredTitle", text: "passkeyExpiredText" } };
  if (verdict === "foreign" || (await passkeys.isSpent(parts.db, realm.realmId, challenge))) return wrong;
  const found = await findPasskey(parts.db, realm.realmId, assertion.credentialId);
  if (!found || !belongs(at, found, assertion)) return wrong;
  const { username: login } = found;
  const checked = await passkeys.checkAssertion(assertion, {
    party: passkeys.relyingPartyOf(realm, parts.baseUrl),
    passkey: found,
    log: parts.log,
  });
  if (!checked) return { ...wrong, login };
  if (checked.isCopy || found.suspectedAt !== undefined) {
    await suspect(at, found);
    return { ...wrong, login, title: "passkeyCopiedTitle", text: "passkeyCopiedText" };
  }
  if (!checked.userVerified && verificationFor(at) === "required")
    return { ...wrong, login, title: "passkeyUnverifiedTitle", text: "passkeyUnverifiedText" };
  const proof: Proof = {
    userId: found.userId,
    login,
    factor: checked.userVerified ? "both" : "possession",
    // RFC 8176 §2: `hwk` is a key that cannot leave its device, `swk` one that can, and `user` says that the user was present.
    amr: [found.deviceType === "singleDevice" ? "hwk" : "swk", "user"],
    ...(!isSecond(at) && { remember: isTicked(form.rememberMe) }),
    accept: async (ctx) =>
      (await passkeys.spendChallenge(ctx.tx, ctx.realm, challenge, ctx.now)) && usePasskey(ctx.tx, ctx.realm, found, checked, ctx.now),
  };
  return { outcome: "passed", proof };
}

/**
 * Tells whether the passkey belongs to the user who signs in, if that user is known. Otherwise its user handle identifies the user
 * (WebAuthn §7.2, step 6).
 */
function belongs(at: StepContext, { userId, userHandle }: Passkey, sent: passkeys.Assertion): boolean {
  const { user, progress } = at;
  if (user ? user.userId !== userId : progress.login !== null || progress.userId !== null) return false;
  return sent.userHandle === null ? isSecond(at) : sent.userHandle === userHandle;
}

/** Disables a passkey that may have been cloned: it is not known which of the two is the copy. */
async function suspect({ parts, realm, visitor, now }: StepContext, found: Passkey): Promise<void> {
  const origin = {
    realm: realm.realmId,
    actor: anonymousActor(realm.realmId, ""),
    sourceIp: visitor.sourceIp,
    requestId: visitor.requestId,
  };
  await parts.work.transact(origin, async (ctx) => {
    if (!(await suspectPasskey(ctx.tx, ctx.realm, found, now))) return;
    ctx.audit({
      category: "SECURITY",
      type: "CREDENTIAL_REVOKED",
      outcome: "SUCCESS",
      resourceType: "users",
      resourceId: found.userId,
      detail: "passkey: its counter went back, so there may be a copy of it",
      actor: { id: null, name: "system" },
    });
    await ctx.emit("user.credentials_changed", { userId: found.userId });
  });
}
