import type { Vault } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";

/** Accounts at identity providers, which belong to a later tier. */
export interface UserLinks {
  /** Returns the id of the provider at which a new user may be linked to this subject. Throws if the link is not possible. */
  check(ctx: Ctx, link: { readonly provider: string; readonly subject: string }): Promise<string>;
  insert(
    ctx: Ctx,
    link: { readonly providerId: string; readonly subject: string; readonly userId: string; readonly username: string | null },
  ): Promise<void>;
}

/** The dependencies for writing a batch besides the unit of work. */
export interface BatchTools {
  /** Seals the secrets of authenticator apps. */
  readonly vault: Vault;
  readonly links: UserLinks;
}
