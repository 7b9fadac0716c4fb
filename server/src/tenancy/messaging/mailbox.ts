import { clock } from "../../kernel/clock.ts";
import { isLoopbackHost } from "../../kernel/loopback.ts";
import type { Envelope } from "./driver.ts";

/** A mail that was kept instead of being sent. */
export interface KeptMail extends Pick<Envelope, "id" | "to" | "subject" | "text"> {
  readonly at: number;
}

/** Development only: takes the mail of realms without a provider, so that everything that needs a mail can be tried. Forgotten with the process. */
export interface Mailbox {
  readonly channel: "EMAIL";
  keep(realm: string, mail: Envelope): void;
  /** A mail is on its way: from now on pages lead to the mailbox. */
  expect(realm: string): void;
  isUsed(realm: string): boolean;
  /** The latest first. */
  mailsOf(realm: string): readonly KeptMail[];
}

const KEPT_PER_REALM = 50;

/** Null if others could reach it: outside development, and if the server is meant for more than this machine, as in the image. */
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
      // A repetition after a crash carries the same id.
      if (mails.some((mail) => mail.id === id)) return;
      mails.unshift({ id, to, subject, text, at: clock.now() });
      mails.length = Math.min(mails.length, KEPT_PER_REALM);
    },
    expect: (realm) => void of(realm),
    isUsed: (realm) => kept.has(realm),
    mailsOf: (realm) => kept.get(realm) ?? [],
  };
}
