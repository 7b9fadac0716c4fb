import { clock } from "../../kernel/clock.ts";
import { isLoopbackHost } from "../../kernel/loopback.ts";
import type { Envelope } from "./driver.ts";

/** A mail that was kept instead of being sent. */
export interface KeptMail extends Pick<Envelope, "id" | "to" | "subject" | "text"> {
  readonly at: number;
}

/** Keeps the mail of realms without a provider, in development only, so that features which need mail can be tried. It is lost when the process ends. */
export interface Mailbox {
  readonly channel: "EMAIL";
  keep(realm: string, mail: Envelope): void;
  /** Announces a mail: from now on, pages link to the mailbox. */
  expect(realm: string): void;
  isUsed(realm: string): boolean;
  /** Returns the mails, the latest first. */
  mailsOf(realm: string): readonly KeptMail[];
}

const KEPT_PER_REALM = 50;

/** Returns null if others could reach the mailbox: outside development, and if the server listens for more than this machine, as in the image. */
export function createMailbox({
  mode,
  host,
  baseUrl,
}: {
  readonly mode: string;
  readonly host: string;
  readonly baseUrl: string;
}): Mailbox | null {
  if (mode !== "development" || !isLoopbackHost(host) || !isLoopbackHost(new URL(baseUrl).hostname)) return null;
  const kept = new Map<string, KeptMail[]>();
  const of = (realm: string) => kept.get(realm) ?? kept.set(realm, []).get(realm)!;
  return {
    channel: "EMAIL",
    keep(realm, { id, to, subject, text }) {
      const mails = of(realm);
      // A repetition after a crash has the same id.
      if (mails.some((mail) => mail.id === id)) return;
      mails.unshift({ id, to, subject, text, at: clock.now() });
      mails.length = Math.min(mails.length, KEPT_PER_REALM);
    },
    expect: (realm) => void of(realm),
    isUsed: (realm) => kept.has(realm),
    mailsOf: (realm) => kept.get(realm) ?? [],
  };
}
