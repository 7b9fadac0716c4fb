import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config.ts";
import { type Core, createCore } from "../../src/core.ts";
import { clock, MINUTE } from "../../src/kernel/clock.ts";
import { newId } from "../../src/kernel/ids.ts";
import { systemActor } from "../../src/platform/context.ts";
import { createChannels, createMessageMetrics, createMessages, MESSAGE_JOB } from "../../src/tenancy/messaging/index.ts";
import { BRIEFLY, builtServer } from "../../src/testing/built-server.ts";
import { headerOf, readMail } from "../../src/testing/mail-parts.ts";
import type { Identity } from "../../src/testing/private-authority.ts";
import { type SmtpPeer, smtpPeer } from "../../src/testing/smtp-peer.ts";
import { freePort } from "../peers/index.mjs";
import { anyDatabase, emptyDatabase, emptyFolder, type ServerProcess, startServer } from "./process.ts";
import { must } from "./visitor.ts";

const CODE = "918273";
const peers: SmtpPeer[] = [];
afterAll(() => Promise.all(peers.map((peer) => peer.close())));

/*
 * This process does what a feature of the server does, while the server is dead: it puts a message into a transaction on the server's
 * database. It runs no worker, so the server delivers what it commits, and the moment between commit and delivery is certain.
 */
async function onDatabase<T>(folder: string, env: Record<string, string>, work: (core: Core) => Promise<T>): Promise<T> {
  const core = await createCore(loadConfig({ env, cwd: folder }), { output: { write: () => {} } });
  try {
    return await work(core);
  } finally {
    await core.close();
  }
}

const commitMessage = async (core: Core) => {
  const metrics = createMessageMetrics(core.metrics.registry);
  const messages = createMessages({
    baseUrl: "https://id.example.com",
    vault: core.vault,
    metrics,
    channels: createChannels(core),
    mailbox: null,
  });
  const user = { id: newId(), username: "ada", email: "ada@example.com", emailVerified: true, attributes: {} };
  const origin = { realm: "master", actor: systemActor("master"), sourceIp: null };
  const values = { code: CODE, ttlSeconds: 600 };
  return core.work.transact(origin, (ctx) =>
    messages.send(ctx, { templateKey: "otp-email", to: user.email, user, values, expiresAt: clock.now() + 10 * MINUTE }),
  );
};

const waiting = ({ db }: Core) =>
  db.selectFrom("jobs").select(["job_id", "payload", "sealed", "attempts", "last_error"]).where("kind", "=", MESSAGE_JOB).execute();

// The embedded database is killed in kill.test.ts and webhooks.test.ts.
describe("kill -9 between commit and delivery", () => {
  test("loses no message; one that was sent twice carries the same id, and the table never shows it", async () => {
    const main = await builtServer();
    let server: ServerProcess | undefined;
    let blows = 0;
    const peer = await smtpPeer({
      security: "none",
      identity: {} as Identity,
      // The worst moment: the peer has the mail, and the server does not know it yet.
      reply(command) {
        if (command === "DATA" && blows++ === 0) process.kill(server!.pid, "SIGKILL");
        return null;
      },
    });
    peers.push(peer);
    const folder = emptyFolder();
    const port = await freePort();
    const env = { ...(await emptyDatabase(anyDatabase)), GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" } as Record<string, string>;
    const place = { folder, port, env, command: [process.execPath, ...BRIEFLY, main, "start"] as [string, ...string[]] };
    const onIt = <T>(work: (core: Core) => Promise<T>) =>
      onDatabase(folder, { ...(anyDatabase === "postgres" && { GATEHOUSE_BASE_URL: `http://localhost:${port}` }), ...env }, work);

    server = await startServer(place);
    const config = { host: "127.0.0.1", port: peer.port, security: "none" };
    const provider = { channel: "EMAIL", driver: "smtp", fromAddress: "no-reply@acme.example", config };
    must(await (await server.admin()).put("/admin/realms/master/messaging/providers", provider), 201);
    await server.kill();

    const id = await onIt(commitMessage);
    expect(peer.mails).toEqual([]);

    server = await startServer(place);
    const ending = await server.ended;
    expect(ending.signal).toBe("SIGKILL");
    expect(peer.mails).toHaveLength(1);

    await onIt(async (core) => {
      const jobs = await waiting(core);
      expect(jobs).toMatchObject([
        { job_id: id, payload: { channel: "EMAIL" }, sealed: expect.stringMatching(/^v1\./), attempts: 1, last_error: null },
      ]);
      expect(JSON.stringify(jobs)).not.toContain(CODE);
      // The lease of the worker that died runs out, which would take a minute.
      await core.db.updateTable("jobs").set({ locked_until: 0 }).where("kind", "=", MESSAGE_JOB).execute();
    });

    server = await startServer(place);
    while (peer.mails.length < 2) await Promise.race([sleep(20), server.ended.then(({ err }) => Promise.reject(new Error(err)))]);
    const ids = peer.mails.map(({ raw }) => headerOf(readMail(raw), "message-id"));
    expect(ids).toEqual([`<${id}@acme.example>`, `<${id}@acme.example>`]);
    expect(readMail(peer.mails[1]!.raw).text).toContain(CODE);
    for (const text of [ending.out, ending.err]) expect(text).not.toContain(CODE);
    const { out, err } = await server.stop();
    expect(out + err).not.toContain(CODE);
    expect(peer.mails).toHaveLength(2);
    expect(await onIt(waiting)).toEqual([]);
  });
});
