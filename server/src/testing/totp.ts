import { randomBytes } from "node:crypto";
import { insertTotp, totpPlace } from "../directory/credentials/index.ts";
import { clock } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { systemActor } from "../platform/context.ts";
import { totpCode, totpStep } from "../signin/authenticators/totp-code.ts";
import type { SharedHarness } from "./harness.ts";

const form = { algorithm: "SHA1", digits: 6, period: 30 } as const;

/** Returns the key from a page that sets up an app. */
export const keyOn = ({ text }: { readonly text: string }): Buffer =>
  fromBase32(/gh-key"[^>]*>([^<]+)</.exec(text)![1]!.replaceAll(" ", ""));

const fromBase32 = (text: string): Buffer => {
  const bits = [...text].map((char) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(char).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

/** Returns the code that an app with this key shows now. */
export const codeOfApp = (secret: Buffer): string => totpCode(secret, totpStep(clock.now(), form), form);

/** Gives a user an authenticator app. Returns a function for the code that it shows. */
export async function giveTotp({ core }: Pick<SharedHarness, "core">, realm: string, userId: string): Promise<() => string> {
  const secret = randomBytes(20);
  const id = newId();
  const sealed = core.vault.seal(secret.toString("base64url"), totpPlace(realm, id));
  await core.work.transact({ realm, actor: systemActor(realm), sourceIp: null }, (ctx) =>
    insertTotp(ctx.tx, realm, userId, { id, secret: sealed, label: null, lastStep: -1, ...form }, ctx.now),
  );
  return () => codeOfApp(secret);
}
