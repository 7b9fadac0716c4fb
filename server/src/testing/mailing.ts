import { setTimeout as sleep } from "node:timers/promises";
import { headerOf, readMail } from "./mail-parts.ts";
import type { Identity } from "./private-authority.ts";
import type { RealmUnderTest } from "./realm.ts";
import { type SmtpPeer, smtpPeer } from "./smtp-peer.ts";

export interface Mailing {
  readonly peer: SmtpPeer;
  /** Lets the realm send mail to the peer. */
  enable(realm: RealmUnderTest): Promise<void>;
  /** Returns the links of all mails to this address, oldest first, once there are this many. */
  linksTo(address: string, count?: number): Promise<string[]>;
  /** Returns the latest mail with a code to this address, once there are this many with one. */
  latestTo(address: string, count?: number): Promise<{ link: string; code: string; text: string }>;
  /** Returns the subjects of all mails to this address so far. */
  subjectsTo(address: string): (string | null)[];
}

const CODE = /^\d{6}$/m;

/** Starts a real SMTP server that keeps what it gets. The server under test needs GATEHOUSE_ALLOWED_HOSTS=127.0.0.1. */
export async function mailing(): Promise<Mailing> {
  const peer = await smtpPeer({ security: "none", identity: {} as Identity });
  const isTo = (address: string, recipients: readonly string[]) => recipients.some((to) => to.toLowerCase() === address.toLowerCase());
  const mailsTo = (address: string) => peer.mails.filter(({ recipients }) => isTo(address, recipients)).map(({ raw }) => readMail(raw));
  const until = async (isTrue: () => boolean, address: string) => {
    for (let tries = 0; !isTrue(); tries++) {
      if (tries === 1_500) throw new Error(`waited too long for mail to ${address}`);
      await sleep(10);
    }
  };
  return {
    peer,
    async enable(realm) {
      const config = { host: "127.0.0.1", port: peer.port, security: "none" };
      const provider = { channel: "EMAIL", driver: "smtp", fromAddress: "no-reply@acme.example", config };
      const saved = await realm.asMaster().put("/messaging/providers", provider);
      if (saved.status !== 201) throw new Error(`no provider: ${saved.status} ${saved.text}`);
    },
    async latestTo(address, count = 1) {
      // If a test moves the clock past a lease, the same mail may be sent twice.
      const withCode = () => [...new Set(mailsTo(address).map(({ text }) => text ?? ""))].filter((text) => CODE.test(text));
      await until(() => withCode().length >= count, address);
      const text = withCode().at(-1) ?? "";
      return { link: /https?:\/\/\S+/.exec(text)?.[0] ?? "", code: CODE.exec(text)?.[0] ?? "", text };
    },
    async linksTo(address, count = 1) {
      await until(() => mailsTo(address).length >= count, address);
      return mailsTo(address).map(({ text }) => /https?:\/\/\S+/.exec(text ?? "")?.[0] ?? "");
    },
    subjectsTo: (address) => mailsTo(address).map((mail) => headerOf(mail, "subject")),
  };
}
