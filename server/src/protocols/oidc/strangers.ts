import { errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { MINUTE } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { isPublic, snapshotOf } from "./client.ts";
import { requestOf } from "./error-page.ts";
import type { RealmParts } from "./parts.ts";

// Requests that are stored although nobody has proven anything yet: how often one address may have that done is limited, so that nobody
// fills the table. Whoever is signed in, and a client that has shown its secret, is known and may go on.

/** A company whose people all come from one address begins its day within these. */
const PER_ADDRESS = { limit: 600, windowMs: MINUTE };

const take = ({ limiter, realm }: RealmParts, address: string) => limiter.take(`authorize:${realm.realmId}:${address}`, PER_ADDRESS);

/** For what is stored before the engine sees it. */
export async function assertMayBegin(parts: RealmParts, address: string): Promise<void> {
  const { allowed, retryAfterSeconds: seconds } = await take(parts, address);
  if (!allowed)
    throw new AppError("rate.limited", 429, `Too many sign-ins were begun from here. Please try again in ${seconds} seconds.`, {
      headers: { "retry-after": String(seconds) },
    });
}

/** RFC 6749 §4.1.2.1, and a status where the answer goes to a program. */
export function tooMany(ctx: KoaContextWithOIDC, seconds: number, reason: string): Error {
  ctx.set("retry-after", String(seconds));
  const error = new errors.CustomOIDCProviderError("temporarily_unavailable", `${reason}: try again in ${seconds} seconds`);
  return Object.assign(error, { status: 429, statusCode: 429 });
}

type Saved = { save(...args: unknown[]): Promise<unknown> };

export function limitStrangers(provider: Provider, parts: RealmParts): void {
  const limit = (model: { readonly prototype: unknown }, isStranger: (ctx: KoaContextWithOIDC) => boolean) => {
    const saved = model.prototype as Saved;
    const { save } = saved;
    saved.save = async function (...args) {
      const { ctx } = Provider;
      if (ctx?.oidc && isStranger(ctx)) {
        const { allowed, retryAfterSeconds } = await take(parts, requestOf(ctx)?.ip ?? ctx.ip);
        if (!allowed) throw tooMany(ctx, retryAfterSeconds, "too many requests from here");
      }
      return save.apply(this, args);
    };
  };
  limit(provider.Interaction, ({ oidc }) => oidc.route === "authorization" && oidc.session?.accountId === undefined);
  limit(provider.PushedAuthorizationRequest, ({ oidc }) => oidc.client !== undefined && isPublic(snapshotOf(oidc.client)));
}
