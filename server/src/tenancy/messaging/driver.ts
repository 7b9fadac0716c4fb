import type { TObject } from "typebox";
import type { Outbound } from "../../platform/outbound/index.ts";

export const channels = ["EMAIL", "SMS", "PUSH"] as const;
export type Channel = (typeof channels)[number];

/** A message as it leaves: rendered, escaped, addressed to one recipient. */
export interface Envelope {
  /** The same at every attempt, so that a peer that knows it already can drop the repetition. */
  readonly id: string;
  /** An email address, a telephone number in E.164 form, or a device token. */
  readonly to: string;
  readonly subject: string | null;
  readonly text: string;
  readonly html: string | null;
  /** PUSH: members for the app, beside the text that is shown. */
  readonly data?: Readonly<Record<string, string>>;
  /** Epoch milliseconds. A peer that queues messages gets this as their expiry. */
  readonly expiresAt?: number | null;
}

/** A realm's provider with its secret opened: what a driver needs to send, and nothing else. */
export interface Provider {
  readonly id: string;
  readonly realm: string;
  /** Grows with every change: a driver keeps tokens and connections for one version only. */
  readonly version: number;
  readonly channel: Channel;
  readonly driver: string;
  readonly fromAddress: string | null;
  readonly fromName: string | null;
  readonly config: Readonly<Record<string, unknown>>;
  readonly secret: string | null;
}

export interface Delivery {
  readonly outbound: Outbound;
  /** Ends the attempt. `sendNow` adds the time limit, so a driver need not know one. */
  readonly signal: AbortSignal;
}

/** The error in one member of a provider's config. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** One way to send messages of one channel. Every driver passes the conformance suite in testing/. */
export interface MessageDriver {
  readonly channel: Channel;
  /** The members of `config`; what it does not list is refused. */
  readonly config: TObject;
  /** Says whether the provider works without a secret, and names the secret in messages. */
  readonly secret: { readonly required: boolean; readonly what: string };
  readonly needsFromAddress: boolean;
  /** The addresses of the servers that get the secret, or what is made with it: another one clears a stored secret. */
  addresses(config: Provider["config"]): readonly string[];
  /** Checks the rules that a schema cannot express; returns faults by field (`config.host`). Sends nothing. */
  check?(provider: Provider, outbound: Outbound): readonly FieldFault[];
  /** Sends, or throws a MessageError. Errors of `outbound` and of the signal may pass through: `sendNow` translates them. */
  send(provider: Provider, envelope: Envelope, delivery: Delivery): Promise<{ readonly messageId: string }>;
}

/** Coarse on purpose: an administrator of a realm reads it, and must not learn what the inside network looks like. */
export type MessageFailure = "unreachable" | "timeout" | "insecure" | "refused" | "credentials" | "recipient" | "throttled" | "rejected";

const PERMANENT: readonly MessageFailure[] = ["recipient", "rejected"];

const MESSAGES: Record<MessageFailure, string> = {
  unreachable: "The provider could not be reached.",
  timeout: "The provider did not answer in time.",
  insecure: "The provider offers no encrypted connection that this server trusts.",
  refused: "The provider answered with an error.",
  credentials: "The provider did not accept the credentials.",
  recipient: "The provider did not accept the recipient.",
  throttled: "The provider asks to send less.",
  rejected: "The provider did not accept the message.",
};

export class MessageError extends Error {
  readonly failure: MessageFailure;
  /** Set by a peer that sends Retry-After. */
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
