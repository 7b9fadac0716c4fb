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

/** A sign-in's request: the client that asked, and its requirements. Kept in the interaction. */
export interface SignInRequest {
  readonly clientId?: string | undefined;
  /** The application, as it is shown to users. */
  readonly application?: ShownApplication | undefined;
  readonly loginHint?: string | undefined;
  /** The alias of an identity provider to sign in at: `idp_hint`. */
  readonly identityProvider?: string | undefined;
  /** An account at an identity provider that this user wants to link to theirs. */
  readonly link?: { readonly alias: string; readonly userId: string } | undefined;
  /** No identity provider is asked. */
  readonly isLocal?: boolean | undefined;
  /** The flow's alias; undefined: the realm's own flow. */
  readonly flow?: string | undefined;
  /** The required level: `1`, `2`. */
  readonly acr?: string | undefined;
  /** Without that level there is no sign-in; otherwise it is a wish. */
  readonly acrEssential?: boolean | undefined;
  /** A session that is there does not count. */
  readonly reauthenticate?: boolean | undefined;
  /** Recent authentication: only what was proven within the last minutes counts, with the second factor where there is one. */
  readonly recent?: boolean | undefined;
  /** The application's redirect URIs, for the policy of the pages. */
  readonly callbacks?: readonly string[] | undefined;
  /** Required actions that this sign-in performs in any case, such as choosing a password. */
  readonly actions?: readonly RequiredAction[] | undefined;
}

export interface VisitorFacts {
  readonly session: LiveSession | null;
  /** Known to this browser only; what is kept for it is bound to this. */
  readonly preSession: string;
  readonly sourceIp: string;
  /** The number of the request, for audit events; undefined where no request of a browser is answered. */
  readonly requestId?: string | undefined;
  readonly userAgent: string | null;
  readonly locale: Locale;
  /** The value of the cookie by which a browser is known again to a user who signed in with it before. */
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
  /** Null until the sign-in has a row: the first page of a plain sign-in needs none. */
  readonly interactionId: string | null;
  readonly progress: Progress;
  /** The user who signs in; null before a login name is given, and for an unknown one. */
  readonly user: SignInUser | null;
  /** They have a second factor that the realm asks for. */
  readonly needsSecondFactor: boolean;
  readonly path: string;
  /** The step's configuration, with defaults. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Data that the step stored when it began. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly now: number;
  readonly alert: StepAlert;
  /** The login name in the form, for a question that asks for one. The user is looked up before the answer is checked, for the counters. */
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
  /** The controls of the form, its button included. */
  readonly body: VNode;
  /** A script of ours that the page needs, by the name of its file in `assets/`. */
  readonly script?: AssetName;
  /** The page looks again by itself after this many seconds: the answer is given elsewhere. */
  readonly refreshSeconds?: number;
  /** The body has a field below which a refused answer is explained; by default an alert above the form explains it. */
  readonly errorAtField?: boolean;
  /** Links to other sites in the body, of which the logos are to be let in. */
  readonly links?: readonly ShownLink[];
}

/** The result of a correct answer. */
export interface Proof {
  /** The user who is proven. Must be the user of the sign-in, where that one is known. */
  readonly userId: string | null;
  /** Their row, where it was read just now. */
  readonly user?: SignInUser | undefined;
  /** The typed login name, where one was typed. */
  readonly login?: string;
  readonly factor: Factor | null;
  /** RFC 8176 */
  readonly amr: readonly string[];
  readonly remember?: boolean;
  /** The session at the identity provider, recorded with the session here. */
  readonly brokered?: BrokeredSignIn;
  /** `accept` writes to the user's own row: it is held for that from the beginning. */
  readonly writesUser?: boolean;
  /**
   * In the transaction in which the step counts: uses up a code, moves a counter. Returns false if the answer no longer counts: then nothing has been
   * written. The user is held until commit.
   */
  accept?(ctx: Ctx): Promise<boolean>;
  /** Once it has committed. */
  accepted?(): void;
}

/** Why the same page is shown again. */
export interface Problem {
  readonly title: TextKey;
  readonly text: TextKey;
  /** The HTTP status, where it is not 400. */
  readonly status?: 409 | 429;
}

/** The data that a step stores. `commit` runs in the same transaction and may correct the data, for example when a code could not be sent. */
export interface Kept {
  readonly data: Readonly<Record<string, unknown>>;
  commit?(ctx: Ctx): Promise<Readonly<Record<string, unknown>> | undefined>;
}

export type Answer =
  | { readonly outcome: "passed"; readonly proof: Proof }
  /** Counts as a failed attempt. `login`: what was typed, for the trail. */
  | { readonly outcome: "wrong"; readonly text: TextKey; readonly title?: TextKey; readonly login?: string }
  /** Nothing was tried, or it can be tried again with what is kept now (a new code was sent). */
  | {
      readonly outcome: "again";
      readonly data?: Readonly<Record<string, unknown>>;
      readonly notice?: TextKey;
      readonly problem?: Problem;
      /** `commit` writes to the user's own row: it is held for that, and without the user nothing is kept. */
      readonly writesUser?: boolean;
      commit?: Kept["commit"];
    }
  /** On to another site, which gets `returnTo` and `state` and sends the browser back with both. The state in `data` waits for it. */
  | { readonly outcome: "leave"; readonly data?: Readonly<Record<string, unknown>>; to(back: Return): Destination | Promise<Destination> }
  /** An account may be this one's, and is to be linked: its owner is asked for its own factors first (flow `first-broker-login`). */
  | {
      readonly outcome: "prove";
      readonly userId: string;
      readonly login: string;
      readonly link: Omit<PendingLink, "flow" | "flowVersion" | "step" | "proven">;
      readonly factor: Factor;
      readonly amr: readonly string[];
      readonly brokered: BrokeredSignIn;
    }
  /** The account that was to be proven stays as it is: the flow continues from the step that led to it, as another user. */
  | { readonly outcome: "instead"; readonly proof: Proof }
  /** The user does not want to go on: the client that requested the sign-in gets an error. */
  | { readonly outcome: "declined" };

/** `accept` throws it where only the transaction shows that the answer cannot be taken: nothing has happened, and the page is shown again. */
export class AskedAgain extends Error {
  readonly answer: Extract<Answer, { readonly outcome: "again" }>;
  constructor(answer: Omit<Extract<Answer, { readonly outcome: "again" }>, "outcome">) {
    super("the page is shown again");
    this.answer = { ...answer, outcome: "again" };
  }
}

/** The return of the browser from another site: to this address, with this `state` (OAuth) or RelayState (SAML) in the query. It works once. */
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

/** Decides whether the sub-flow that it stands in is asked for. */
export interface Condition extends Described {
  readonly kind: "condition";
  /** `passedBy`: tells whether these authenticators, had they just been passed, were all that the sub-flow asks for. */
  holds(at: StepContext, passedBy: PassedBy): Promise<boolean>;
}

export type PassedBy = (authenticators: readonly string[]) => Promise<boolean>;

/** Passes or fails without a question. */
export interface Silent extends Described {
  readonly kind: "silent";
  passes(at: StepContext): Promise<Proof | null>;
}

/** Asks the user something, on its own page. */
export interface Question extends Described {
  readonly kind: "question";
  /** It finds out by itself who it is. */
  readonly identifies: boolean;
  /** The factor that a correct answer proves; null: none (a name, terms). */
  readonly factor: Factor | null;
  /** Wrong answers are counted, under this name, per user and per address. Null where guessing is no use. */
  readonly counted: string | null;
  /** Replaces `counted` where it depends on the user. */
  countedFor?(at: StepContext): Promise<string | null>;
  /** Fields that an answer must have. */
  readonly fields: readonly string[];
  /** The page leaves out fields that the user may not change, so one that the form does not have is not missing. */
  readonly isPartial?: true;
  /** The name that a form of it brings, where it asks for one. */
  nameIn?(form: Readonly<Record<string, string>>): string;
  /** The required action that sets up a missing credential. */
  readonly setUp: RequiredAction | null;
  /** The text of the button that chooses it among other ways. */
  readonly choice: TextKey;
  /** Its page cannot be answered without scripts: it is offered among other ways only where they run, and beside it as an action is a way out. */
  readonly needsScripts?: boolean;
  /** Nothing is left to ask for: the step counts as passed. */
  settled?(at: StepContext): Promise<boolean>;
  /** Tells whether it can be asked. Before anything is proven the answer must not depend on whose account it is. */
  available(at: StepContext): Promise<boolean>;
  /** Once, before its page is first shown: makes a challenge, sends a code. */
  begin?(at: StepContext): Promise<Kept>;
  /** The proof of an answer on another device or in another tab, with which this page continues. */
  answeredElsewhere?(at: StepContext): Promise<Proof | null>;
  page(at: StepContext, text: Messages): StepPage | Promise<StepPage>;
  /**
   * An addition to the pages of alternative steps, where this step is one of the alternatives: the content of a separate form, hidden until the
   * script shows it.
   */
  beside?(at: StepContext, text: Messages): Promise<{ readonly script: AssetName; readonly body: VNode } | null>;
  /** Links on its own page and on those of alternative steps. `hasMore`: its own page can search for others. */
  links?(at: StepContext): Promise<{ readonly links: readonly ShownLink[]; readonly hasMore: boolean }>;
  /** The message where a right answer does not count, instead of what `signin/run` says of such fields. */
  readonly refusal?: { readonly title: TextKey; readonly text: TextKey };
  answer(at: StepContext, form: Readonly<Record<string, string>>): Promise<Answer>;
  /** Handles the other site's response, as the query has it, for a question whose answer is `leave`. None of it is trusted. */
  returned?(at: StepContext, query: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Defaults of most questions. */
export const question = {
  kind: "question",
  config: Type.Object({}, { additionalProperties: false }),
  identifies: false,
  setUp: null,
} as const;

/** One kind of step. A plug point: each is a plain object in `authenticators`, and passes the conformance suite. */
export type Authenticator = Condition | Silent | Question;
