import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { clock, HOUR, MINUTE, SECOND } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { headerOf, readMail } from "../../testing/mail-parts.ts";
import type { Identity } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { type SmtpPeer, smtpPeer } from "../../testing/smtp-peer.ts";
import { MESSAGE_JOB, type OutgoingMessage } from "./index.ts";

const CODE = "918273";
let iam: SharedHarness;
let peer: SmtpPeer;
/** The peer's answer to the recipient; null accepts the message. */
let reply: { code: number; text: string } | null = null;
let mode: "talk" | "hang" = "talk";
beforeAll(async () => {
  iam = await sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" });
  peer = await smtpPeer({
    security: "none",
    identity: {} as Identity,
    reply: (command) => (command === "RCPT" ? reply : null),
    mode: () => mode,
  });
});
afterEach(async () => {
  clock.reset();
  reply = null;
  mode = "talk";
  await iam.core.db.deleteFrom("jobs").where("kind", "=", MESSAGE_JOB).execute();
});
afterAll(async () => {
  await iam?.close();
  await peer?.close();
});

const ada = { id: "019b76da-a800-7f3c-9d1e-3f5b7c9d1e3f", username: "ada", email: "ada@example.com", emailVerified: true, attributes: {} };

/** A realm that can send mail. */
async function withMail(settings: object = {}): Promise<RealmUnderTest> {
  const realm = await iam.realm();
  const config = { host: "127.0.0.1", port: peer.port, security: "none" };
  const provider = { channel: "EMAIL", driver: "smtp", fromAddress: "no-reply@acme.example", config };
  const saved = await realm.asMaster().put("/messaging/providers", provider);
  expect(saved.status, saved.text).toBe(201);
  if (Object.keys(settings).length > 0) expect((await realm.asMaster().put("/settings", settings)).status).toBe(200);
  return realm;
}

/** A separate address for every test: they share the peer. */
let people = 0;
const newAddress = () => `someone${people++}@example.com`;
const messageTo = (to: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  templateKey: "otp-email",
  to,
  user: { ...ada, email: to },
  values: { code: CODE, ttlSeconds: 600 },
  expiresAt: clock.now() + 10 * MINUTE,
  ...more,
});
const origin = (realm: RealmUnderTest) => ({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null });
const send = (realm: RealmUnderTest, message: OutgoingMessage) =>
  iam.core.work.transact(origin(realm), (ctx) => iam.server.messages.send(ctx, message));

const mailsTo = (to: string) => peer.mails.filter(({ recipients }) => recipients.includes(to));
const idOf = (mail: { raw: string }) => headerOf(readMail(mail.raw), "message-id");
async function until<T>(look: () => T | Promise<T>, what: string): Promise<NonNullable<T>> {
  let found: T | undefined;
  await expect
    .poll(
      async () => {
        found = await look();
        return Boolean(found);
      },
      { message: `waited too long for ${what}` },
    )
    .toBe(true);
  return found as NonNullable<T>;
}
const arrival = (to: string, count = 1) => until(() => (mailsTo(to).length >= count ? mailsTo(to) : null), `mail to ${to}`);
const jobsOf = (realm: RealmUnderTest) =>
  iam.core.db
    .selectFrom("jobs")
    .select(["job_id", "payload", "sealed", "attempts", "run_at", "last_error", "dead_at", "locked_until"])
    .where("realm_id", "=", realm.name)
    .execute();
const noJobs = (realm: RealmUnderTest) => until(async () => (await jobsOf(realm)).length === 0, "the job to end");
const failedOnce = (realm: RealmUnderTest, attempts = 1) =>
  until(
    async () => (await jobsOf(realm)).find((job) => job.attempts === attempts && job.locked_until === 0 && job.last_error),
    "a failed attempt",
  );
const metric = async (outcome: string) => {
  const text = await iam.core.metrics.registry.metrics();
  return Number(new RegExp(`svc_messages_total{channel="EMAIL",outcome="${outcome}"} (\\d+)`).exec(text)?.[1] ?? 0);
};
/** Nothing is in progress for this realm. */
const settled = async () => {
  await iam.server.jobs.runDue();
  await iam.server.jobs.runDue();
};

describe("sending", () => {
  test("leaves at once after the commit, in text and HTML, and nothing of it stays in the table", async () => {
    const realm = await withMail({ displayName: "Acme" });
    const to = newAddress();
    const sent = await metric("sent");
    const inside: unknown[] = [];
    const id = await iam.core.work.transact(origin(realm), async (ctx) => {
      const id = await iam.server.messages.send(ctx, messageTo(to));
      inside.push(
        ...(await ctx.tx.selectFrom("jobs").select(["payload", "sealed", "dedupe_key", "last_error"]).where("job_id", "=", id).execute()),
      );
      return id;
    });
    const [mail] = await arrival(to);
    const { text, html, headers } = readMail(mail!.raw);
    expect(mail).toMatchObject({ from: "no-reply@acme.example", recipients: [to] });
    expect(headerOf({ headers }, "subject")).toBe("Your sign-in code for Acme");
    expect(headerOf({ headers }, "message-id")).toBe(`<${id}@acme.example>`);
    expect(text).toContain(CODE);
    expect(text).toContain("valid for 10 minutes");
    expect(html).toContain(CODE);
    const marks = { to: expect.stringMatching(/^[\w-]{43}$/), user: expect.stringMatching(/^[\w-]{43}$/) };
    expect(inside).toEqual([
      { payload: { channel: "EMAIL", ...marks }, sealed: expect.stringMatching(/^v1\./), dedupe_key: null, last_error: null },
    ]);
    for (const secret of [CODE, to, ada.id]) expect(JSON.stringify(inside)).not.toContain(secret);
    await noJobs(realm);
    expect(await metric("sent")).toBe(sent + 1);
    expect(await iam.core.metrics.registry.metrics()).toContain('svc_message_latency_seconds_count{channel="EMAIL"}');
    expect(iam.output.join("")).not.toContain(CODE);
    expect(iam.output.join("")).not.toContain(to);
    expect(JSON.stringify(await realm.events())).not.toContain(CODE);
  });

  test("does not wait for the worker's next turn: it is woken by the commit, and only by that", async () => {
    const realm = await withMail();
    const to = newAddress();
    const wake = vi.spyOn(iam.server.jobs, "wake");
    try {
      await iam.core.work.transact(origin(realm), async (ctx) => {
        await iam.server.messages.send(ctx, messageTo(to));
        expect(wake).not.toHaveBeenCalled();
      });
      expect(wake).toHaveBeenCalledOnce();
    } finally {
      wake.mockRestore();
    }
    await arrival(to);
  });

  test("does nothing when the transaction does not commit", async () => {
    const realm = await withMail();
    const [lost, kept] = [newAddress(), newAddress()];
    const failing = iam.core.work.transact(origin(realm), async (ctx) => {
      await iam.server.messages.send(ctx, messageTo(lost));
      throw new Error("changed my mind");
    });
    await expect(failing).rejects.toThrow("changed my mind");
    expect(await jobsOf(realm)).toEqual([]);
    expect(await send(realm, messageTo(kept))).toEqual(expect.any(String));
    await arrival(kept);
    await settled();
    expect(mailsTo(lost)).toEqual([]);
  });

  test("says at once what an administrator has to do when it could never leave", async () => {
    const realm = await iam.realm();
    await expect(send(realm, messageTo(newAddress()))).rejects.toMatchObject({
      status: 409,
      code: "messaging.no_provider",
      message: expect.stringMatching(/EMAIL.*administrator/),
    });
    expect(await iam.server.messages.canSend(iam.core.db, realm.name, "EMAIL")).toBe(false);
    const able = await withMail();
    expect(await iam.server.messages.canSend(iam.core.db, able.name, "EMAIL")).toBe(true);
    expect(await iam.server.messages.canSend(iam.core.db, able.name, "SMS")).toBe(false);
    await able.asMaster().put("/messaging/templates", { templateKey: "otp-email", subject: "s", body: "{{code}}", enabled: false });
    await expect(send(able, messageTo(newAddress(), { locale: "nl" }))).rejects.toMatchObject({
      status: 409,
      code: "messaging.template_disabled",
    });
    expect(await jobsOf(able)).toEqual([]);
  });

  test("carries nothing that the user wrote to an address that they have not confirmed", async () => {
    const realm = await withMail({ messaging: { maxPerRecipient: 100 } });
    const advert = { ...ada, username: "cheap-watches", attributes: { firstName: "Cheap watches at shop.example" } };
    const body = "{{code}} {{ttl}} {{user}} {{user.username}} {{user.firstName}}";
    await realm.asMaster().put("/messaging/templates", { templateKey: "otp-email", subject: "For {{user}}", body });
    const sentTo = async (user: (to: string) => OutgoingMessage["user"]) => {
      const to = newAddress();
      await send(realm, messageTo(to, { user: user(to) }));
      const [mail] = await arrival(to);
      return { to, raw: readMail(mail!.raw).text ?? "", subject: headerOf(readMail(mail!.raw), "subject") };
    };
    for (const unconfirmed of [() => advert, (to: string) => ({ ...advert, email: to, emailVerified: false })]) {
      const { to, raw, subject } = await sentTo(unconfirmed);
      expect([subject, /watches/i.test(raw)]).toEqual([`For ${to}`, false]);
    }
    const own = await sentTo((to) => ({ ...advert, email: to.toUpperCase() }));
    expect([own.subject, own.raw.includes("cheap-watches")]).toEqual(["For Cheap watches at shop.example", true]);
  });

  test("chooses the language: the page's, the user's, the realm's, the default; a disabled one is skipped", async () => {
    const realm = await withMail({ displayName: "Acme", messaging: { maxPerRecipient: 100 } });
    const subjectFor = async (more: Partial<OutgoingMessage>) => {
      const to = newAddress();
      await send(realm, messageTo(to, more));
      return headerOf(readMail((await arrival(to))[0]!.raw), "subject");
    };
    const dutch = { ...ada, attributes: { locale: "nl_BE" } };
    expect(await subjectFor({ user: dutch })).toBe("Je inlogcode voor Acme");
    // English is a language like the others, though its text is the default.
    expect(await subjectFor({ user: dutch, locale: "en" })).toBe("Your sign-in code for Acme");
    expect(await subjectFor({ user: dutch, locale: "en-GB" })).toBe("Your sign-in code for Acme");
    expect(await subjectFor({ locale: "fi" })).toBe("Your sign-in code for Acme");
    const own = { templateKey: "otp-email", body: "{{code}} {{ttl}}" };
    await realm.asMaster().put("/messaging/templates", { ...own, locale: "fi", subject: "Koodisi" });
    await realm.asMaster().put("/messaging/templates", { ...own, locale: "nl", subject: "x", enabled: false });
    expect(await subjectFor({ locale: "fi-FI", user: dutch })).toBe("Koodisi");
    expect(await subjectFor({ user: dutch })).toBe("Your sign-in code for Acme");

    // A realm's own default text is in its own language.
    const german = { ...ada, attributes: { locale: "de" } };
    await realm.asMaster().put("/messaging/templates", { ...own, subject: "Own" });
    expect(await subjectFor({ user: german, locale: "en" })).toBe("Own");
    await realm.asMaster().put("/settings", { displayName: "Acme", defaultLocale: "fr", messaging: { maxPerRecipient: 100 } });
    expect(await subjectFor({ user: german, locale: "en" })).toBe("Ihr Anmeldecode für Acme");
    await realm.asMaster().put("/messaging/templates", { ...own, locale: "en", subject: "In English" });
    expect(await subjectFor({ user: german, locale: "en" })).toBe("In English");
  });
});

describe("values that users put into their own records", () => {
  const evil = 'Eve"\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script><a href="https://evil.example">{{code}}';

  test("adds no header, no recipient, no markup and no placeholder", async () => {
    const realm = await withMail({ displayName: "Acme" });
    const template = {
      templateKey: "otp-email",
      html: true,
      subject: "{{user}} {{user.nick}}",
      body: '<p title="{{user.nick}}">{{user}}</p>{{code}}',
    };
    expect((await realm.asMaster().put("/messaging/templates", template)).status).toBe(200);
    const to = newAddress();
    await send(realm, messageTo(to, { user: { ...ada, email: to, username: evil, attributes: { nick: evil } } }));
    const [mail] = await arrival(to);
    const { headers, html, text } = readMail(mail!.raw);
    expect(mail!.recipients).toEqual([to]);
    expect(headers.map(([name]) => name)).not.toContain("bcc");
    expect(mail!.raw).not.toMatch(/^bcc:/im);
    expect(html).not.toContain("<script>");
    expect(html).not.toContain("<a ");
    expect(html!.match(new RegExp(CODE, "g"))).toHaveLength(1);
    expect(text).toContain("{{code}}");
    await settled();
    expect(mailsTo("victim@example.com")).toEqual([]);
  });

  test("makes no address but one bare one", async () => {
    const realm = await withMail();
    for (const to of [
      "ada@example.com\r\nBcc: victim@example.com",
      "ada@example.com, victim@example.com",
      "Ada <ada@example.com>",
      "ada@example.com victim@example.com",
      "@example.com",
      "",
    ])
      await expect(send(realm, messageTo(to)), to).rejects.toMatchObject({ status: 409, code: "messaging.bad_recipient" });
    expect(await jobsOf(realm)).toEqual([]);
  });

  test("no link leads anywhere but to a page", async () => {
    const realm = await withMail();
    for (const link of ["javascript:alert(1)", "data:text/html,x", "/relative", "https://a.example/\r\nBcc: x"])
      await expect(send(realm, messageTo(newAddress(), { templateKey: "magic-link-email", values: { link } }))).rejects.toThrow(
        "http or https",
      );
  });
});

describe("a provider that does not take it", () => {
  test("is called again after the waits, under the same id, and only the coarse reason is stored", async () => {
    const realm = await withMail();
    const to = newAddress();
    const failed = await metric("failed");
    reply = { code: 451, text: `4.3.0 disk full, cannot store ${CODE} for ${to}` };
    const id = await send(realm, messageTo(to));
    const job = await failedOnce(realm);
    expect(job).toMatchObject({ job_id: id, last_error: "The provider answered with an error.", dead_at: null });
    expect(job.run_at - clock.now()).toBeLessThanOrEqual(1.2 * SECOND);
    clock.advance(2 * SECOND);
    const again = await failedOnce(realm, 2);
    expect(again.run_at - clock.now()).toBeGreaterThan(SECOND);
    expect(again.run_at - clock.now()).toBeLessThanOrEqual(6 * SECOND);
    reply = null;
    clock.advance(6 * SECOND);
    const mails = await arrival(to);
    expect(mails.map(idOf)).toEqual([`<${id}@acme.example>`]);
    await noJobs(realm);
    expect(await metric("failed")).toBe(failed + 2);
    const output = iam.output.filter((line) => line.includes(id!));
    expect(output.join("")).toContain("451");
    for (const secret of [CODE, to]) expect(iam.output.join("")).not.toContain(secret);
  });

  test("is given up when the provider knows no such recipient, and the job's data is deleted", async () => {
    const realm = await withMail();
    const to = newAddress();
    const dead = await metric("dead");
    reply = { code: 550, text: `5.1.1 no ${to} here, ${CODE}` };
    await send(realm, messageTo(to));
    const job = await until(async () => (await jobsOf(realm)).find(({ dead_at }) => dead_at !== null), "the job to be buried");
    expect(job).toMatchObject({
      attempts: 1,
      sealed: null,
      payload: { channel: "EMAIL" },
      last_error: "The provider did not accept the recipient.",
    });
    expect(await metric("dead")).toBe(dead + 1);
    for (const secret of [CODE, to]) expect(iam.output.join("")).not.toContain(secret);
  });

  test("that was removed meanwhile is waited for", async () => {
    const realm = await withMail();
    const to = newAddress();
    reply = { code: 451, text: "later" };
    await send(realm, messageTo(to));
    await failedOnce(realm);
    await realm.asMaster().delete("/messaging/providers/EMAIL/smtp");
    clock.advance(2 * SECOND);
    expect(await failedOnce(realm, 2)).toMatchObject({ last_error: "The provider could not be reached." });
  });

  test("too long is not called again: an expired message is dropped, and never sent", async () => {
    const realm = await withMail();
    const to = newAddress();
    const expired = await metric("expired");
    reply = { code: 451, text: "later" };
    await send(realm, messageTo(to));
    await failedOnce(realm);
    reply = null;
    clock.advance(10 * MINUTE);
    await noJobs(realm);
    expect(mailsTo(to)).toEqual([]);
    expect(await metric("expired")).toBe(expired + 1);
  });

  test("is not waited for when the message would have expired by then", async () => {
    const realm = await withMail();
    reply = { code: 451, text: "later" };
    await send(realm, messageTo(newAddress(), { expiresAt: clock.now() + 900 }));
    await noJobs(realm);
    await expect(send(realm, messageTo(newAddress(), { expiresAt: clock.now() }))).rejects.toMatchObject({ code: "messaging.expired" });
  });

  test("hanging in one realm keeps no other realm waiting", async () => {
    const [slow, quick] = [await withMail({ messaging: { maxPerRecipient: 100 } }), await withMail()];
    mode = "hang";
    const to = newAddress();
    for (let n = 0; n < 25; n++) await send(slow, messageTo(to));
    const held = () => jobsOf(slow).then((jobs) => jobs.filter(({ locked_until }) => locked_until > clock.now()).length);
    await until(async () => (await held()) >= 5, "the places to fill");
    mode = "talk";
    const other = newAddress();
    await send(quick, messageTo(other));
    await arrival(other);
    expect(await held()).toBe(5);
  });
});

describe("limits", () => {
  test("hold for one mailbox, however it is written, and let go as time passes", async () => {
    const realm = await withMail();
    const limited = await metric("limited");
    const name = `many${people++}`;
    for (const to of [
      `${name}@example.com`,
      `${name.toUpperCase()}@Example.com`,
      `${name}+a@example.com`,
      `${name}+b+c@example.com`,
      `${name}@example.com`,
    ])
      await send(realm, messageTo(to));
    const refusal = { status: 429, code: "messaging.too_many", headers: { "retry-after": expect.stringMatching(/^1(1\d|20)$/) } };
    await expect(send(realm, messageTo(`${name}+d@example.com`))).rejects.toMatchObject(refusal);
    expect(await metric("limited")).toBe(limited + 1);
    await send(realm, messageTo(newAddress()));
    clock.advance(2 * MINUTE + SECOND);
    await send(realm, messageTo(`${name}@example.com`));
    await expect(send(realm, messageTo(`${name}@example.com`))).rejects.toMatchObject({ status: 429 });
    const rows = await iam.core.db.selectFrom("message_limits").select("subject").where("realm_id", "=", realm.name).execute();
    expect(JSON.stringify(rows)).not.toContain(name);
    const elsewhere = await withMail();
    await send(elsewhere, messageTo(`${name}@example.com`));
  });

  test("hold for each template, so that what anyone can have sent leaves what its owner signs in by; some are counted as one", async () => {
    const realm = await withMail({ messaging: { maxPerRecipient: 1, recipientMinutes: 60 } });
    const to = newAddress();
    const link = "https://id.example/x";
    const reset = messageTo(to, { templateKey: "reset-password-email", values: { link, code: "123456" } });
    await send(realm, reset);
    await expect(send(realm, reset)).rejects.toMatchObject({ status: 429 });
    await send(realm, messageTo(to, { templateKey: "otp-email" }));
    await send(realm, messageTo(to, { templateKey: "magic-link-email", values: { link } }));
    await send(realm, messageTo(to, { templateKey: "account-exists-email", values: { link } }));
    const registering = messageTo(to, { templateKey: "verify-email", countedAs: "account-exists-email", values: { link, code: "123456" } });
    await expect(send(realm, registering)).rejects.toMatchObject({ status: 429 });
    await send(realm, { ...registering, countedAs: "verify-email" });
  });

  test("hold for a user who names one address after the other", async () => {
    const realm = await withMail({ messaging: { maxPerRecipient: 2, recipientMinutes: 60 } });
    const values = { link: "https://id.example/x" };
    const toStranger = () => send(realm, messageTo(newAddress(), { templateKey: "change-email", user: ada, countsUser: true, values }));
    await toStranger();
    await toStranger();
    await expect(toStranger()).rejects.toMatchObject({ status: 429, code: "messaging.too_many" });
    for (let n = 0; n < 2; n++) await send(realm, messageTo(ada.email));
  });

  test("hold for the realm and channel, and who is refused for one recipient uses up nothing of it", async () => {
    const realm = await withMail({ messaging: { maxPerRecipient: 1, recipientMinutes: 60, maxPerHour: 3 } });
    const to = newAddress();
    await send(realm, messageTo(to));
    // As a feature that does not reveal whether there is such a user.
    for (let n = 0; n < 5; n++)
      await iam.core.work.transact(origin(realm), (ctx) => iam.server.messages.send(ctx, messageTo(to)).catch(() => null));
    await send(realm, messageTo(newAddress()));
    await send(realm, messageTo(newAddress()));
    await expect(send(realm, messageTo(newAddress()))).rejects.toMatchObject({
      status: 429,
      headers: { "retry-after": expect.stringMatching(/^1(19\d|200)$/) },
    });
    clock.advance(20 * MINUTE + SECOND);
    await send(realm, messageTo(newAddress()));
  });

  test("let one of many at once through when there is room for one", async () => {
    const realm = await withMail({ messaging: { maxPerRecipient: 1 } });
    const to = newAddress();
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => send(realm, messageTo(to))));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await arrival(to);
    await settled();
    expect(mailsTo(to)).toHaveLength(1);
  });
});

test("a deleted realm sends nothing any more", async () => {
  const realm = await withMail();
  const to = newAddress();
  reply = { code: 451, text: "later" };
  await send(realm, messageTo(to));
  await failedOnce(realm);
  reply = null;
  await iam.core.db.updateTable("realms").set({ deleted_at: clock.now() }).where("realm_id", "=", realm.name).execute();
  iam.core.changes.drop(realm.name);
  clock.advance(2 * SECOND);
  await noJobs(realm);
  expect(mailsTo(to)).toEqual([]);
});

// The last one: it makes sessions expire, too.
test("limits are forgotten once they hold nothing any more", async () => {
  const realm = await withMail();
  await send(realm, messageTo(newAddress()));
  const rows = () => iam.core.db.selectFrom("message_limits").select("subject").where("realm_id", "=", realm.name).execute();
  expect(await rows()).toHaveLength(2);
  clock.advance(HOUR + MINUTE);
  await until(async () => (await rows()).length === 0, "the cleanup");
});
