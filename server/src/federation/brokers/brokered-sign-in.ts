import type { Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import { basisOf } from "../providers/control.ts";
import { providerErrors } from "../providers/errors.ts";
import { keepLinkTokens, type LinkTokens } from "../providers/link-tokens.store.ts";
import { holdLink } from "../providers/links.store.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { BrokeredIdentity } from "./broker.ts";
import { recordBrokeredSession } from "./brokered-sessions.store.ts";

/** The part of a provider's response that is needed until the sign-in ends. It is stored in the interaction's state. */
export interface BrokeredSignIn {
  readonly providerId: string;
  readonly subject: string;
  /** The provider's basis (see `basisOf`) at the time of the response. */
  readonly basis: string;
  readonly sessionId: string | null;
  /** The data for a logout at the provider, the tokens to store, and the identity until an account is made of it. */
  readonly sealed: string | null;
}

type Identity = Omit<BrokeredIdentity, "session" | "tokens" | "complete">;

interface Content {
  readonly logout: string | null;
  readonly tokens: LinkTokens | null;
  readonly identity?: Identity;
}

const place = (realm: string, interactionId: string) => ({ realm, table: "interactions", column: "state", row: interactionId });

export function brokeredSignInOf(
  vault: Vault,
  provider: ProviderSnapshot,
  { subject, session, tokens }: Pick<BrokeredIdentity, "subject" | "session" | "tokens">,
  interactionId: string,
  identity?: Identity,
): BrokeredSignIn {
  const { realm, providerId } = provider;
  const { id: sessionId = null, logout = null } = session ?? {};
  const content: Content = { logout, tokens: tokens ?? null, ...(identity && { identity }) };
  const signIn: BrokeredSignIn = {
    ...{ providerId, subject, sessionId },
    // Both are read when the state is stored. A sign-in that ends with this answer does not store it.
    get basis() {
      return basisOf(provider);
    },
    get sealed() {
      const isEmpty = Object.values(content).every((each) => each === null);
      return isEmpty ? null : vault.seal(JSON.stringify(content), place(realm, interactionId));
    },
  };
  contents.set(signIn, content);
  return signIn;
}

/** The contents of brokered sign-ins that this process created and that were not read from storage. */
const contents = new WeakMap<BrokeredSignIn, Content>();

function contentOf(vault: Vault, realm: string, signIn: BrokeredSignIn, interactionId: string): Content {
  const known = contents.get(signIn);
  if (known) return known;
  const { sealed } = signIn;
  return sealed === null ? { logout: null, tokens: null } : JSON.parse(vault.open(sealed, place(realm, interactionId)));
}

/** Returns the identity, if it was stored. */
export const identityIn = (vault: Vault, realm: string, signIn: BrokeredSignIn, interactionId: string): BrokeredIdentity | null =>
  contentOf(vault, realm, signIn, interactionId).identity ?? null;

interface Where {
  readonly interactionId: string;
  readonly userId: string;
}

/**
 * Records the provider's session, in the transaction that starts the session here. The link may have been removed, or the provider disabled, since the provider
 * answered: then the answer no longer counts.
 */
export async function recordBrokeredSignIn(
  ctx: Ctx,
  vault: Vault,
  signIn: BrokeredSignIn,
  { interactionId, userId, sessionId }: Where & { readonly sessionId: string },
): Promise<void> {
  const { providerId, subject } = signIn;
  if (!(await holdLink(ctx.tx, ctx.realm, { providerId, subject, userId }))) throw providerErrors.changed();
  const { logout, tokens } = contentOf(vault, ctx.realm, signIn, interactionId);
  const session = { providerId, subject, id: signIn.sessionId, logout };
  await recordBrokeredSession(ctx.tx, vault, ctx.realm, sessionId, session, ctx.now);
  if (tokens !== null) await keepLinkTokens(ctx.tx, vault, ctx.realm, { userId, providerId }, tokens, ctx.now);
}

/** Stores the tokens of an account that was linked in a session which began in another way. */
export async function keepTokensOf(ctx: Ctx, vault: Vault, signIn: BrokeredSignIn, { interactionId, userId }: Where): Promise<void> {
  const { tokens } = contentOf(vault, ctx.realm, signIn, interactionId);
  if (tokens !== null) await keepLinkTokens(ctx.tx, vault, ctx.realm, { userId, providerId: signIn.providerId }, tokens, ctx.now);
}
