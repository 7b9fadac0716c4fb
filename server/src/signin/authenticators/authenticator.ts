import type { VNode } from "preact";
import Type, { type TObject } from "typebox";
import type { PasswordQuestion } from "../../directory/credentials/index.ts";
import type { RequiredAction } from "../../directory/users/index.ts";
import type { BrokeredSignIn, Destination } from "../../federation/index.ts";
import type { AssetName, Locale, Messages, ShownApplication, ShownLink, StepAlert } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { Factor, LiveSession } from "../sessions/index.ts";
import type { SignInParts } from "./parts.ts";
import type { PendingLink, Progress } from "./progress.ts";
import type { SignInUser } from "./user.store.ts";

/** The request of a sign-in: the client that asked, and its requirements. It is kept in the interaction. */
export interface SignInRequest {
  readonly clientId?: string | undefined;
  /** The application, as users see it. */
  readonly application?: ShownApplication | undefined;
  readonly loginHint?: string | undefined;
  /** The alias of the identity provider to sign in at (`idp_hint`). */
  readonly identityProvider?: string | undefined;
  /** The account at an identity provider that this user wants to link to their own. */
  readonly link?: { readonly alias: string; readonly userId: string } | undefined;
  /** True if the sign-in uses no identity provider. */
  readonly isLocal?: boolean | undefined;
  /** The alias of the flow. Undefined means the realm's own flow. */
  readonly flow?: string | undefined;
  /** The requested level, `1` or `2`. */
  readonly acr?: string | undefined;
  /** True if the sign-in fails without that level. Otherwise the level is voluntary. */
  readonly acrEssential?: boolean | undefined;
  /** True if an existing session does not count. */
  readonly reauthenticate?: boolean | undefined;
  /** True if the client needs recent authentication: only proofs of the last minutes count, with the second factor if the user has one. */
  readonly recent?: boolean | undefined;
  /** The application's redirect URIs, for the Content Security Policy of the pages. */
  readonly callbacks?: readonly string[] | undefined;
  /** The required actions that this sign-in performs in any case, such as choosing a password. */
  readonly actions?: readonly RequiredAction[] | undefined;
}

export interface VisitorFacts {
  readonly session: LiveSession | null;
  /** The id of the pre-session, which only this browser knows. The data that is kept for the browser is bound to it. */
  readonly preSession: string;
  readonly sourceIp: string;
  /** The id of the request, for audit events. Undefined if this answers no request of a browser. */
  readonly requestId?: string | undefined;
  readonly userAgent: string | null;
  readonly locale: Locale;
  /** The value of the cookie that makes the browser known to a user who signed in with it before. */
  readonly deviceToken: string | null;
  /** The alias of the identity provider that this browser signed in at last. */
  readonly lastProvider?: string | null;
}

/** The context in which a step is checked, shown or answered. */
export interface StepContext {
  readonly parts: SignInParts;
  readonly realm: RealmSnapshot;
  readonly visitor: VisitorFacts;
  readonly request: SignInRequest;
  /** Null until the sign-in has a row. The first page of a plain sign-in needs none. */
  readonly interactionId: string | null;
  readonly progress: Progress;
  /** The user who signs in. Null before a login name is given, and if no user has that name. */
  readonly user: SignInUser | null;
  /** True if the user has a second factor that the realm asks for. */
  readonly needsSecondFactor: boolean;
  readonly path: string;
  /** The step's configuration, with defaults. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The data that the step stored when it began. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly now: number;
  readonly alert: StepAlert;
  /**
   * The login name in the form, for a question that asks for one. The user is found before the answer is checked, because attempts are
   * counted per user.
   */
  readonly named: { readonly login: string; readonly user: NamedUser | null } | null;
  readonly attempted: PasswordQuestion["attempted"];
}

export interface NamedUser {
  readonly userId: string;
  readonly username: string;
  readonly enabled: boolean;
  readonly locked: boolean;
}

/** A key of the pages' texts. */
export type TextKey = keyof Messages;

/** The content of a step's form. */
export interface StepPage {
  readonly title: TextKey;
  readonly lead?: VNode | string | null;
  /** The controls of the form, including its button. */
  readonly body: VNode;
  /** The file name in `assets/` of a script that the page needs. */
  readonly script?: AssetName;
  /** The seconds after which the page reloads, because the answer is given elsewhere. */
  readonly refreshSeconds?: number;
  /** True if the body has a field below which a refused answer is explained. By default an alert above the form explains it. */
  readonly errorAtField?: boolean;
  /** The links to other sites in the body. The Content Security Policy lets their logos in. */
  readonly links?: readonly ShownLink[];
}

/** The result of a correct answer. */
export interface Proof {
  /** The user who is authenticated. Must be the user of the sign-in, if that one is known. */
  readonly userId: string | null;
  /** The row of the user, if it was read just now. */
  readonly user?: SignInUser | undefined;
  /** The login name, if one was typed. */
  readonly login?: string;
  readonly factor: Factor | null;
  /** The authentication methods (RFC 8176). */
  readonly amr: readonly string[];
  readonly remember?: boolean;
  /** The session at the identity provider, which is recorded with the session here. */
  readonly brokered?: BrokeredSignIn;
  /** True if `accept` writes to the user's own row, which is then locked for writing from the beginning. */
  readonly writesUser?: boolean;
  /**
   * Runs in the transaction in which the step counts, to use up a code or to move a counter. Returns false if the answer no longer counts;
   * then nothing has been written. The user is locked until commit.
   */
  accept?(ctx: Ctx): Promise<boolean>;
  /** Runs after that transaction has committed. */
  accepted?(): void;
}

/** The reason why the same page is shown again. */
export interface Problem {
  readonly title: TextKey;
  readonly text: TextKey;
  /** The HTTP status, if it is not 400. */
  readonly status?: 409 | 429;
}

/** The data that a step stores. `commit` runs in the same transaction and may correct the data, for example if a code could not be sent. */
export interface Kept {
  readonly data: Readonly<Record<string, unknown>>;
  commit?(ctx: Ctx): Promise<Readonly<Record<string, unknown>> | undefined>;
}

export type Answer =
  | { readonly outcome: "passed"; readonly proof: Proof }
  /** The answer counts as a failed attempt. `login` is the typed name, for the audit trail. */
  | { readonly outcome: "wrong"; readonly text: TextKey; readonly title?: TextKey; readonly login?: string }
  /** Nothing was tried, or the user can try again with the data that is kept now (a new code was sent). */
  | {
      readonly outcome: "again";
      readonly data?: Readonly<Record<string, unknown>>;
      readonly notice?: TextKey;
      readonly problem?: Problem;
      /** True if `commit` writes to the user's own row, which is then locked for it. Without the user nothing is kept. */
      readonly writesUser?: boolean;
      commit?: Kept["commit"];
    }
  /**
   * The browser leaves for another site, which gets `returnTo` and `state` and sends the browser back with both. The state in `data` waits
   * for it.
   */
  | { readonly outcome: "leave"; readonly data?: Readonly<Record<string, unknown>>; to(back: Return): Destination | Promise<Destination> }
  /** An account may be this user's, and is to be linked. Its owner has to prove its own factors first (flow `first-broker-login`). */
  | {
      readonly outcome: "prove";
      readonly userId: string;
      readonly login: string;
      readonly link: Omit<PendingLink, "flow" | "flowVersion" | "step" | "proven">;
      readonly factor: Factor;
      readonly amr: readonly string[];
      readonly brokered: BrokeredSignIn;
    }
  /** The account that was to be proven stays as it is. The flow continues, as another user, from the step that led to it. */
  | { readonly outcome: "instead"; readonly proof: Proof }
  /** The user declines. The client that requested the sign-in gets an error. */
  | { readonly outcome: "declined" };

/** Thrown by `accept` if only the transaction shows that the answer cannot be taken. Nothing has changed, and the page is shown again. */
export class AskedAgain extends Error {
  readonly answer: Extract<Answer, { readonly outcome: "again" }>;
  constructor(answer: Omit<Extract<Answer, { readonly outcome: "again" }>, "outcome">) {
    super("the page is shown again");
    this.answer = { ...answer, outcome: "again" };
  }
}

/** The return of the browser from another site: to this address, with this `state` (OAuth) or RelayState (SAML). It works once. */
export interface Return {
  readonly returnTo: string;
  readonly state: string;
}

interface Described {
  readonly displayName: string;
  readonly description: string;
  /** The schema of a step's `config`. */
  readonly config: TObject;
}

/** Decides whether the flow asks for the sub-flow that contains the condition. */
export interface Condition extends Described {
  readonly kind: "condition";
  /** `passedBy` tells whether the sub-flow would ask for nothing more if these authenticators had just been passed. */
  holds(at: StepContext, passedBy: PassedBy): Promise<boolean>;
}

export type PassedBy = (authenticators: readonly string[]) => Promise<boolean>;

/** A step that passes or fails without a question. */
export interface Silent extends Described {
  readonly kind: "silent";
  passes(at: StepContext): Promise<Proof | null>;
}

/** A step that asks the user something, on its own page. */
export interface Question extends Described {
  readonly kind: "question";
  /** True if the answer itself identifies the user. */
  readonly identifies: boolean;
  /** The factor that a correct answer proves. Null if it proves none (a name, terms). */
  readonly factor: Factor | null;
  /** The name under which wrong answers are counted, per user and per address. Null if guessing is of no use. */
  readonly counted: string | null;
  /** Replaces `counted` if it depends on the user. */
  countedFor?(at: StepContext): Promise<string | null>;
  /** The fields that an answer must have. */
  readonly fields: readonly string[];
  /** The page leaves out fields that the user may not change, so a field that the form does not have is not missing. */
  readonly isPartial?: true;
  /** Returns the login name in the form, for a question that asks for one. */
  nameIn?(form: Readonly<Record<string, string>>): string;
  /** The required action that sets up a missing credential. */
  readonly setUp: RequiredAction | null;
  /** The text of the button that chooses this question among the alternatives. */
  readonly choice: TextKey;
  /**
   * True if its page cannot be answered without scripts. It is offered among the alternatives only if scripts run. As a required action,
   * its page also has a way out.
   */
  readonly needsScripts?: boolean;
  /** Tells whether nothing is left to ask for. The step then counts as passed. */
  settled?(at: StepContext): Promise<boolean>;
  /** Tells whether the question can be asked. Before a proof, the result must not depend on the account. */
  available(at: StepContext): Promise<boolean>;
  /** Runs once, before the page is first shown, to make a challenge or to send a code. */
  begin?(at: StepContext): Promise<Kept>;
  /** Returns the proof of an answer on another device or in another tab, with which this page continues. */
  answeredElsewhere?(at: StepContext): Promise<Proof | null>;
  page(at: StepContext, text: Messages): StepPage | Promise<StepPage>;
  /** Returns an addition to the pages of alternatives to this step: the content of a separate form, hidden until the script shows it. */
  beside?(at: StepContext, text: Messages): Promise<{ readonly script: AssetName; readonly body: VNode } | null>;
  /** Returns links for its own page and for those of alternative steps. `hasMore` is true if its own page can search for others. */
  links?(at: StepContext): Promise<{ readonly links: readonly ShownLink[]; readonly hasMore: boolean }>;
  /** The message for a right answer that does not count. It replaces the message of `signin/run` for such fields. */
  readonly refusal?: { readonly title: TextKey; readonly text: TextKey };
  answer(at: StepContext, form: Readonly<Record<string, string>>): Promise<Answer>;
  /** Handles the other site's response, as it is in the query, for a question whose answer is `leave`. None of it is trusted. */
  returned?(at: StepContext, query: Readonly<Record<string, string>>): Promise<Answer>;
}

/** The defaults of most questions. */
export const question = {
  kind: "question",
  config: Type.Object({}, { additionalProperties: false }),
  identifies: false,
  setUp: null,
} as const;

/** One kind of step. This is a plug point: each authenticator is a plain object in `authenticators`, and passes the conformance suite. */
export type Authenticator = Condition | Silent | Question;
