import type { FastifyRequest } from "fastify";
import { encodeQR } from "qr";
import { totpPlace } from "../../../directory/credentials/index.ts";
import { addFirstRecoveryCodes, addTotp, type Credential, readCredentials, takeOwnUser } from "../../../directory/users/index.ts";
import { base32 } from "../../../kernel/base32.ts";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import { defineErrors, invalidFields } from "../../../kernel/errors.ts";
import { newId } from "../../../kernel/ids.ts";
import type { Vault } from "../../../kernel/vault.ts";
import { dropTokensOf, findToken, newActionToken, storeToken, takeToken, tokenHash } from "../../../signin/action-tokens/index.ts";
import { accountNameOf, matchingStep, newTotpSecret, type TotpForm, totpUri, typedDigits } from "../../../signin/authenticators/index.ts";
import { proveByEnrolling } from "../../../signin/sessions/index.ts";
import type { RealmSnapshot } from "../../../tenancy/realms/index.ts";
import { changeSignIn } from "../audience.ts";

const KIND = "totp-setup";
const LIFETIME = 10 * MINUTE;

const errors = defineErrors("totp", {
  expired: [400, "This setup has expired, was already used or was started again: start again without `setup` and `code`"],
});

/** The state of a set-up until its first code. The secret is sealed for this set-up alone. */
interface Kept {
  readonly secret: string;
  readonly form: TotpForm;
}

const place = (realm: string, token: string) => ({ realm, table: "action_tokens", column: "data", row: tokenHash(token) });

/** Creates the secret of a new authenticator app. The account does not change until the user enters a code of it. */
export async function startOwnTotp({ vault }: { readonly vault: Vault }, req: FastifyRequest): Promise<TotpSetUp> {
  const { realm } = req;
  const { algorithm, digits, period } = realm.settings.totp;
  const form = { algorithm, digits, period };
  const secret = newTotpSecret(form);
  const setup = newActionToken();
  const sealed = vault.seal(secret.toString("base64url"), place(req.realmId, setup));
  const { username, expiresAt } = await changeSignIn(req, async (ctx) => {
    const user = await takeOwnUser(ctx);
    await dropTokensOf(ctx, KIND, user.userId);
    const until = ctx.now + LIFETIME;
    await storeToken(ctx, { kind: KIND, userId: user.userId, data: { secret: sealed, form }, expiresAt: until, token: setup });
    return { username: user.username, expiresAt: until };
  });
  return shownSetup(realm, { setup, secret, form, username, expiresAt });
}

interface Begun {
  readonly setup: string;
  readonly secret: Buffer;
  readonly form: TotpForm;
  readonly username: string;
  readonly expiresAt: number;
}

function shownSetup(realm: RealmSnapshot, { setup, secret, form, username, expiresAt }: Begun) {
  const uri = totpUri(secret, form, { issuer: accountNameOf(realm), account: username });
  return { type: "totp", setup, secret: base32(secret), uri, qrCode: pictureOf(uri), expiresAt };
}
export type TotpSetUp = ReturnType<typeof shownSetup>;

/** Makes a QR code, as an image for a page. */
export const pictureOf = (content: string): string =>
  `data:image/svg+xml;base64,${Buffer.from(encodeQR(content, "svg", { ecc: "medium", border: 4 })).toString("base64")}`;

/** Opens the set-up again after a wrong code, because the app has its secret already. Returns null if it has expired. */
export async function openOwnTotp({ vault }: { readonly vault: Vault }, req: FastifyRequest, setup: string) {
  const found = await req.read((ctx) => findToken(ctx, KIND, setup));
  if (found?.userId !== req.actor!.id) return null;
  const { secret, form } = found.data as unknown as Kept;
  const plain = Buffer.from(vault.open(secret, place(req.realmId, setup)), "base64url");
  return shownSetup(req.realm, { setup, secret: plain, form, username: req.actor!.name, expiresAt: found.expiresAt });
}

/** Adds the app after its first correct code, which is then used. A user without recovery codes gets some. */
export async function confirmOwnTotp(
  { vault }: { readonly vault: Vault },
  req: FastifyRequest,
  { setup, code, label }: { readonly setup: string; readonly code: string; readonly label: string | null },
): Promise<Credential & { codes?: string[] }> {
  const { drift } = req.realm.settings.totp;
  const found = await req.read((ctx) => findToken(ctx, KIND, setup));
  if (found?.userId !== req.actor!.id) throw errors.expired();
  const { secret, form } = found.data as unknown as Kept;
  const plain = vault.open(secret, place(req.realmId, setup));
  const lastStep = matchingStep(Buffer.from(plain, "base64url"), typedDigits(code), form, { now: clock.now(), drift, after: -1 });
  if (lastStep === null)
    throw invalidFields([{ field: "code", code: "wrong", message: "code is not the code in the app: check the clock of the phone" }]);
  return changeSignIn(req, async (ctx) => {
    const { userId } = await takeOwnUser(ctx);
    // If two requests confirm concurrently, only one adds it.
    if ((await takeToken(ctx, KIND, setup)) === null) throw errors.expired();
    const id = newId();
    await addTotp(ctx, userId, { id, secret: vault.seal(plain, totpPlace(ctx.realm, id)), ...form, label, lastStep });
    await proveByEnrolling(ctx, { authenticator: "totp", amr: ["otp"] });
    const added = (await readCredentials(ctx, userId)).find((credential) => credential.id === id)!;
    const codes = await addFirstRecoveryCodes(ctx, userId);
    return codes ? { ...added, codes } : added;
  });
}
