import { clock, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import type { Vault } from "../../kernel/vault.ts";
import type { Db } from "../../platform/db/index.ts";
import { GiveUp, type JobHandler, type RunningJob, sealPlace, TryAgain, waitAfter } from "../../platform/jobs/index.ts";
import { type Outbound, OutboundError } from "../../platform/outbound/index.ts";
import type { RealmSnapshots } from "../realms/index.ts";
import { type Channel, type Envelope, MessageError, type Provider } from "./driver.ts";
import type { Mailbox } from "./mailbox.ts";
import type { MessageMetrics } from "./messages.metrics.ts";
import { findProvider } from "./providers.store.ts";
import { openToken } from "./push-tokens.service.ts";
import { deletePushToken, findPushToken, markUsed } from "./push-tokens.store.ts";
import { sendNow } from "./send.ts";

/** The payload of a message's job: the complete message, encrypted in the table. */
export interface SealedMessage {
  readonly channel: Channel;
  readonly to: string;
  readonly userId: string | null;
  readonly subject: string | null;
  readonly html: string | null;
  readonly text: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly expiresAt: number;
  readonly askedAt: number;
}

/** The waits between attempts. They begin short, because users wait for most messages. */
const WAITS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, HOUR, 2 * HOUR];
/** The upper limit for a provider's Retry-After. */
const LONGEST_WAIT = 6 * HOUR;

interface Parts {
  readonly db: Db;
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly realms: RealmSnapshots;
  readonly metrics: MessageMetrics;
  readonly mailbox: Mailbox | null;
  readonly log: { warn(details: object, message: string): void };
}

/** Sends the messages that transactions have enqueued. */
export function messageJob(parts: Parts): JobHandler {
  const { db, vault, realms, metrics, mailbox, outbound, log } = parts;

  const deliver = async (job: RunningJob) => {
    const realm = job.realm ?? "";
    // A deleted realm sends nothing.
    if (!(await realms.get(realm))) return;
    const message = openMessage(vault, job, realm);
    const isOver = (at: number) => at >= message.expiresAt;
    if (isOver(clock.now())) return metrics.count(message.channel, "expired");
    const provider = await findProvider(db, vault, realm, message.channel);
    try {
      const envelopeTo = (to: string): Envelope => {
        const { subject, text, html, data, expiresAt } = message;
        return { id: job.id, to, subject, text, html, expiresAt, ...(data && { data }) };
      };
      if (!provider && message.channel === mailbox?.channel) {
        mailbox.keep(realm, envelopeTo(message.to));
        return metrics.count(message.channel, "sent");
      }
      if (!provider) throw new MessageError("unreachable", new Error("no provider is enabled"));
      const envelope = envelopeTo(await targetOf(parts, realm, message, provider));
      // The expiry is checked again, because reading took time and an expired code must not leave.
      if (isOver(clock.now())) return metrics.count(message.channel, "expired");
      await sendNow(provider, envelope, { outbound, signal: new AbortController().signal });
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      log.warn(
        { realm, jobId: job.id, channel: message.channel, failure: error.failure, reason: reasonOf(error.cause) },
        "a message did not leave",
      );
      if (error.failure === "recipient" && message.channel === "PUSH") await deletePushToken(db, realm, message.to);
      if (error.permanent) throw new GiveUp(error.message);
      metrics.count(message.channel, "failed");
      const wait = Math.min(LONGEST_WAIT, Math.max(error.retryAfterMs ?? 0, waitAfter(job.attempt, WAITS)));
      // The message would expire before the next attempt, so it is given up.
      if (isOver(clock.now() + wait)) return metrics.count(message.channel, "expired");
      throw new TryAgain(error.message, error.retryAfterMs === null ? 0 : wait);
    }
    metrics.count(message.channel, "sent");
    metrics.took(message.channel, (clock.now() - message.askedAt) / SECOND);
    if (message.channel === "PUSH") await markUsed(db, realm, message.to, clock.now());
  };

  return {
    waits: WAITS,
    run: (job) => deliver(job).catch((error) => Promise.reject(withoutContent(error))),
    buried: ({ payload }) => metrics.count(payload.channel as Channel, "dead"),
  };
}

function openMessage(vault: Vault, job: RunningJob, realm: string): SealedMessage {
  if (job.sealed === null) throw new GiveUp("the job has no message");
  return JSON.parse(vault.open(job.sealed, sealPlace(realm, job.id))) as SealedMessage;
}

/** Returns the device token of the recipient. The message is dropped if the device was removed, or registered by another user, in the meantime. */
async function targetOf({ db, vault }: Parts, realm: string, message: SealedMessage, { driver }: Provider): Promise<string> {
  if (message.channel !== "PUSH") return message.to;
  const device = await findPushToken(db, realm, message.to, message.userId ?? "");
  if (device?.driver !== driver) throw new GiveUp("the device is not registered any more");
  return openToken(device, vault);
}

/** Returns the reason for the log. The words of errors other than those of drivers and the guard could repeat the message or its recipient. */
function reasonOf(cause: unknown): string | null {
  if (!(cause instanceof Error)) return null;
  return cause.name === "Error" || cause instanceof OutboundError ? cause.message : cause.name;
}

/** Removes the words of an unexpected error, which could repeat the message. Its kind and its place are kept for the log. */
function withoutContent(error: unknown): Error {
  if (error instanceof GiveUp || error instanceof TryAgain) return error;
  const { name = "Error", stack = "" } = error as Error;
  const bare = new Error(`the message could not be sent (${name})`);
  bare.stack = [`${bare.name}: ${bare.message}`, ...stack.split("\n").filter((line) => /^ {4}at /.test(line))].join("\n");
  return bare;
}
