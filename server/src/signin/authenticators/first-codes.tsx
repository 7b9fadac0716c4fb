import { RECOVERY_CODE } from "../../directory/credentials/index.ts";
import { addFirstRecoveryCodes, type RequiredAction } from "../../directory/users/index.ts";
import { sha256 } from "../../kernel/vault.ts";
import { type Messages, RecoveryCodeList } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Answer, Proof, StepContext, StepPage } from "./authenticator.ts";

/**
 * A second factor that was set up in a sign-in, and the recovery codes that came with the first one. Both are stored: a user who closes the
 * page has the factor, and gets other codes in the account console. The page shows the codes until the user goes on.
 */
interface SetUp {
  /** The required action that shows this page. */
  readonly setUp: RequiredAction;
  /** The proof by setting it up. */
  readonly proof: Pick<Proof, "userId" | "factor" | "amr">;
  /** The recovery codes, sealed. */
  readonly codes: string;
}

const keptOf = ({ data }: Pick<StepContext, "data">): SetUp | null => (data?.setUp === undefined ? null : (data as unknown as SetUp));

/** Returns the action whose codes are still on a page of this sign-in. */
export const setUpIn = (data: Readonly<Record<string, unknown>>): RequiredAction | undefined => keptOf({ data })?.setUp;

/** Returns the page of the codes, or null if nothing was set up yet. */
export function codesPage(at: StepContext, text: Messages): StepPage | null {
  const kept = keptOf(at);
  if (!kept) return null;
  const codes = JSON.parse(openForBrowser(at, kept.codes)) as string[];
  return { title: "recoveryTitle", lead: text.recoveryText, body: <RecoveryCodeList text={text} codes={codes} /> };
}

/** Answers the page of the codes, from which the user goes on. Returns null if nothing was set up yet. */
export function codesSaved(at: StepContext): Answer | null {
  const kept = keptOf(at);
  return kept && { outcome: "passed", proof: kept.proof };
}

/**
 * Stores the factor. A user without recovery codes gets some in the same transaction, which locks the user, and sees them next. `store`
 * returns false if the factor cannot be added any more.
 */
export function storeFactor(at: StepContext, setUp: RequiredAction, proof: SetUp["proof"], store: (ctx: Ctx) => Promise<boolean>): Answer {
  const { userId, credentials } = at.user!;
  if (credentials.has(RECOVERY_CODE)) return { outcome: "passed", proof: { ...proof, writesUser: true, accept: store } };
  return {
    outcome: "again",
    writesUser: true,
    commit: async (ctx) => {
      if (!(await store(ctx))) return undefined;
      const codes = (await addFirstRecoveryCodes(ctx, userId)) ?? [];
      return { setUp, proof, codes: sealForBrowser(at, JSON.stringify(codes)) } satisfies SetUp;
    },
  };
}

/** Binds a sealed text to a sign-in of this browser. */
const place = ({ realm, visitor }: StepContext) => ({
  realm: realm.realmId,
  table: "interactions",
  column: "state",
  row: sha256(visitor.preSession),
});
export const sealForBrowser = (at: StepContext, plain: string): string => at.parts.vault.seal(plain, place(at));
export const openForBrowser = (at: StepContext, sealed: string): string => at.parts.vault.open(sealed, place(at));
