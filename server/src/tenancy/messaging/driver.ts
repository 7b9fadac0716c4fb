import type { TObject } from "typebox";
import type { Outbound } from "../../platform/outbound/index.ts";

export const channels = ["EMAIL", "SMS", "PUSH"] as const;
export type Channel = (typeof channels)[number];

/** A message ready to be sent: rendered, escaped, and addressed to one recipient. */
export interface Envelope {
  /** The id is the same at every attempt, so that a peer can drop repetitions. */
  readonly id: string;
  /** An email address, a telephone number in E.164 form, or a device token. */
  readonly to: string;
  readonly subject: string | null;
  readonly text: string;
  readonly html: string | null;
  /** PUSH: data for the app, beside the visible text. */
  readonly data?: Readonly<Record<string, string>>;
  /** Epoch milliseconds. A peer that queues messages gets this as their expiry. */
  readonly expiresAt?: number | null;
}

/** A realm's provider with its secret opened. It contains what a driver needs to send, and nothing else. */
export interface Provider {
  readonly id: string;
  readonly realm: string;
  /** The version grows with every change. A driver keeps tokens and connections for one version only. */
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
  /** The schema of `config`. Members that it does not list are refused. */
  readonly config: TObject;
  /** Tells whether the provider needs a secret, and describes the secret in messages. */
  readonly secret: { readonly required: boolean; readonly what: string };
  readonly needsFromAddress: boolean;
  /** Returns the addresses of the servers that get the secret, or values made with it. Another address clears a stored secret. */
  addresses(config: Provider["config"]): readonly string[];
  /** Checks the rules that a schema cannot express; returns faults by field (`config.host`). Sends nothing. */
  check?(provider: Provider, outbound: Outbound): readonly FieldFault[];
  /** Sends, or throws a MessageError. Errors of `outbound` and of the signal may pass through: `sendNow` translates them. */
  send(provider: Provider, envelope: Envelope, delivery: Delivery): Promise<{ readonly messageId: string }>;
}

/** The kinds of failures. They are coarse on purpose: administrators of a realm read them, and must learn nothing about the internal network. */
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
  /** The delay that a peer requested by Retry-After. */
  readonly retryAfterMs: number | null;

  constructor(failure: MessageFailure, cause?: unknown, retryAfterMs: number | null = null) {
    super(MESSAGES[failure], { cause });
    this.name = "MessageError";
    this.failure = failure;
    this.retryAfterMs = retryAfterMs;
  }

  /** True if another attempt cannot help. */
  get permanent(): boolean {
    return PERMANENT.includes(this.failure);
  }
}
