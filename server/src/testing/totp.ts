import { randomBytes } from "node:crypto";
import { insertTotp, totpPlace } from "../directory/credentials/index.ts";
import { clock } from "../kernel/clock.ts";
import { newId } from "../kernel/ids.ts";
import { systemActor } from "../platform/context.ts";
import { totpCode, totpStep } from "../signin/authenticators/totp-code.ts";
import type { Node } from "./harness.ts";

const form = { algorithm: "SHA1", digits: 6, period: 30 } as const;

/** Gives a user an authenticator app; answers what it shows. */
export async function giveTotp({ core }: Pick<Node, "core">, realm: string, userId: string): Promise<() => string> {
  const secret = randomBytes(20);
  const id = newId();
  const sealed = core.vault.seal(secret.toString("base64url"), totpPlace(realm, id));
  await core.work.transact({ realm, actor: systemActor(realm), sourceIp: null }, (ctx) =>
    insertTotp(ctx.tx, realm, userId, { id, secret: sealed, label: null, lastStep: -1, ...form }, ctx.now),
  );
  return () => totpCode(secret, totpStep(clock.now(), form), form);
}
