import type { TObject } from "typebox";
import type { Outbound } from "../../platform/outbound/index.ts";

export const channels = ["EMAIL", "SMS", "PUSH"] as const;
export type Channel = (typeof channels)[number];

/** A message as it leaves: rendered, escaped, addressed to one recipient. */
export interface Envelope {
  /** The same at every attempt, so that a peer that knows it already can drop the repetition. */
  readonly id: string;
  /** A mail address, a telephone number in E.164 form, or a device token. */
  readonly to: string;
  readonly subject: string | null;
  readonly text: string;
  readonly html: string | null;
  /** PUSH: members for the app, beside the text that is shown. */
  readonly data?: Readonly<Record<string, string>>;
}

/** A realm's provider with its secret opened: what a driver needs to send, and nothing else. */
export interface Provider {
  readonly realm: string;
  readonly channel: Channel;
  readonly driver: string;
  readonly fromAddress: string | null;
  readonly fromName: string | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly secret: string | null;
}

export interface Delivery {
  readonly outbound: Outbound;
  readonly signal: AbortSignal;
}

/** One way to send messages of one channel. Every driver passes the conformance suite in testing/. */
export interface MessageDriver {
  readonly channel: Channel;
  /** The members of `config`; what it does not list is refused. */
  readonly config: TObject;
  /** Whether the provider works without a secret, and what the secret is, for messages to people. */
  readonly secret: { readonly required: boolean; readonly what: string };
  readonly needsFromAddress: boolean;
  /** What the schema cannot say; answers what is wrong, by field (`config.host`). Nothing is sent. */
  check?(provider: Provider, outbound: Outbound): readonly { readonly field: string; readonly message: string }[];
  /** Sends, or throws a MessageError. */
  send(provider: Provider, envelope: Envelope, delivery: Delivery): Promise<{ readonly messageId: string }>;
}

/** Coarse on purpose: an administrator of a realm reads it, and must not learn what the inside network looks like. */
export type MessageFailure = "unreachable" | "timeout" | "refused" | "credentials" | "recipient" | "throttled" | "rejected";

const PERMANENT: readonly MessageFailure[] = ["recipient", "rejected"];

const MESSAGES: Record<MessageFailure, string> = {
  unreachable: "The provider could not be reached.",
  timeout: "The provider did not answer in time.",
  refused: "The provider answered with an error.",
  credentials: "The provider did not accept the credentials.",
  recipient: "The provider did not accept the recipient.",
  throttled: "The provider asks to send less.",
  rejected: "The provider did not accept the message.",
};

export class MessageError extends Error {
  readonly failure: MessageFailure;
  /** Set by a peer that says when to come back. */
  readonly retryAfterMs: number | null;

  constructor(failure: MessageFailure, cause?: unknown, retryAfterMs: number | null = null) {
    super(MESSAGES[failure], { cause });
    this.name = "MessageError";
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }

  /** Trying again cannot help. */
  get permanent(): boolean {
    return PERMANENT.includes(this.failure);
  }
}
