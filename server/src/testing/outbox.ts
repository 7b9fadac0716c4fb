import { sealPlace } from "../platform/jobs/index.ts";
import type { OutgoingMessage } from "../tenancy/messaging/index.ts";
import { MESSAGE_JOB } from "../tenancy/messaging/index.ts";
import type { SharedHarness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";

interface Waiting {
  readonly to: OutgoingMessage["to"];
  readonly text: string;
}

/** Lets the realm send. While the worker is stopped, its messages wait. */
export async function allowMessages(realm: RealmUnderTest): Promise<void> {
  for (const provider of [
    { channel: "EMAIL", driver: "http", fromAddress: "no-reply@acme.example", config: { url: "https://mail.example.com/send" } },
    { channel: "SMS", driver: "twilio", fromAddress: "+15551234567", config: { accountSid: `AC${"0".repeat(32)}` }, secret: "s3cret" },
  ]) {
    const saved = await realm.asMaster().put("/messaging/providers", provider);
    if (saved.status !== 201) throw new Error(`no provider: ${saved.status} ${saved.text}`);
  }
}

/** Returns the waiting messages of a realm, oldest first. */
export async function outbox({ core }: Pick<SharedHarness, "core">, realm: RealmUnderTest): Promise<Waiting[]> {
  const jobs = await core.db
    .selectFrom("jobs")
    .select(["job_id", "sealed"])
    .where("realm_id", "=", realm.name)
    .where("kind", "=", MESSAGE_JOB)
    .orderBy("job_id")
    .execute();
  return jobs.map(({ job_id: id, sealed }) => JSON.parse(core.vault.open(sealed!, sealPlace(realm.name, id))) as Waiting);
}
