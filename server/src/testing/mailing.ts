import { setTimeout as sleep } from "node:timers/promises";
import { headerOf, readMail } from "./mail-parts.ts";
import type { Identity } from "./private-authority.ts";
import type { RealmUnderTest } from "./realm.ts";
import { type SmtpPeer, smtpPeer } from "./smtp-peer.ts";

export interface Mailing {
  readonly peer: SmtpPeer;
  /** Lets the realm send mail to the peer. */
  enable(realm: RealmUnderTest): Promise<void>;
  /** The links of every mail to this address, oldest first, once there are so many. */
  linksTo(address: string, count?: number): Promise<string[]>;
  /** Subjects of every mail to this address so far. */
  subjectsTo(address: string): (string | null)[];
}

/** A real SMTP server that keeps what it gets. The server under test needs GATEHOUSE_ALLOWED_HOSTS=127.0.0.1. */
export async function mailing(): Promise<Mailing> {
  const peer = await smtpPeer({ security: "none", identity: {} as Identity });
  const isTo = (address: string, recipients: readonly string[]) => recipients.some((to) => to.toLowerCase() === address.toLowerCase());
  const mailsTo = (address: string) => peer.mails.filter(({ recipients }) => isTo(address, recipients)).map(({ raw }) => readMail(raw));
  return {
    peer,
    async enable(realm) {
      const config = { host: "127.0.0.1", port: peer.port, security: "none" };
      const provider = { channel: "EMAIL", driver: "smtp", fromAddress: "no-reply@acme.example", config };
      const saved = await realm.asMaster().put("/messaging/providers", provider);
      if (saved.status !== 201) throw new Error(`no provider: ${saved.status} ${saved.text}`);
    },
    async linksTo(address, count = 1) {
      for (let tries = 0; mailsTo(address).length < count; tries++) {
        if (tries === 1_500) throw new Error(`waited too long for mail to ${address}`);
        await sleep(10);
      }
      return mailsTo(address).map(({ text }) => /https?:\/\/\S+/.exec(text ?? "")?.[0] ?? "");
    },
    subjectsTo: (address) => mailsTo(address).map((mail) => headerOf(mail, "subject")),
  };
}
