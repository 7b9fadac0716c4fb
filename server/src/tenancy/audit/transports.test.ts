import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../kernel/ids.ts";
import { answers, type Collector, collector } from "../../testing/collector.ts";
import type { AuditEventRecord } from "./schema.ts";
import { type Handover, httpReceiver, transports } from "./transports.ts";

const event = (detail: string | null): AuditEventRecord => ({
  id: newId(),
  ts: "2030-01-31T12:00:00.000Z",
  kind: "audit",
  category: "ADMIN",
  type: "ADMIN_ACTION",
  realm: "master",
  actor: "admin",
  actorKind: "user",
  sourceIp: null,
  resourceType: "things",
  resourceId: null,
  outcome: "SUCCESS",
  detail,
  impersonator: null,
  requestId: null,
});

/** The other end of a transport: hands events over, and says what arrived. */
interface Peer {
  send(events: readonly AuditEventRecord[]): Handover | Promise<Handover>;
  received(): unknown[];
}

let receiver: Collector;
const ended: (() => Promise<void>)[] = [];
beforeAll(async () => {
  receiver = await collector();
});
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});
afterAll(() => receiver?.close());

const toHttp = (httpUrl: string, httpToken: string | null = null) => {
  const target = httpReceiver({ httpUrl, httpToken, timeoutMs: 60_000 });
  ended.push(() => target.outbound.close());
  return target;
};

/** A new transport adds its other end here, and it has to pass what follows. */
const peers: Record<keyof typeof transports, () => Peer> = {
  stdout() {
    const written: string[] = [];
    const output = { write: (text: string) => void written.push(text) };
    const lines = () => written.join("").split("\n").slice(0, -1);
    return { send: (events) => transports.stdout.send(output, events), received: () => lines().map((line) => JSON.parse(line)) };
  },
  http() {
    const target = toHttp(receiver.url);
    const before = receiver.batches.length;
    return {
      send: (events) => transports.http.send(target, events),
      received: () => receiver.batches.slice(before).flatMap(({ events }) => events),
    };
  },
};

describe.each(Object.entries(peers))("every audit transport: %s", (_name, open) => {
  test("hands over each event whole and in order, whatever its text holds", async () => {
    const peer = open();
    const texts = ["plain", null, "a\nline\r\nbreak", 'quotes " and \\', "ünïcödé 🗝️ \u2028", "</script>", "{}[]", "x".repeat(100_000)];
    const events = texts.map(event);
    expect(await peer.send(events)).toEqual({ taken: true });
    expect(peer.received()).toEqual(events);
  });

  test("takes many at once, and the same ones again", async () => {
    const peer = open();
    const events = Array.from({ length: 500 }, (_, n) => event(`event ${n}`));
    expect(await peer.send(events)).toEqual({ taken: true });
    expect(await peer.send(events.slice(0, 2))).toEqual({ taken: true });
    expect(peer.received()).toEqual([...events, ...events.slice(0, 2)]);
  });
});

describe("by HTTP", () => {
  const sendTo = async (url: string, token: string | null = null) => {
    const answer = await transports.http.send(toHttp(url, token), [event("x")]);
    return { answer, headers: receiver.batches.at(-1)?.headers ?? {} };
  };
  const withUser = (user: string) => receiver.url.replace("//", `//${user}@`);

  test("authenticates by the token, or as the user in the address, or not at all", async () => {
    expect((await sendTo(receiver.url, "t0ken")).headers.authorization).toBe("Bearer t0ken");
    expect((await sendTo(withUser("ada:p%40ss%3A"))).headers.authorization).toBe(`Basic ${Buffer.from("ada:p@ss:").toString("base64")}`);
    expect((await sendTo(withUser("ada:x"), "t0ken")).headers.authorization).toBe("Bearer t0ken");
    expect((await sendTo(receiver.url)).headers).not.toHaveProperty("authorization");
  });

  test("keeps the path and the query of the address", async () => {
    await sendTo(`${receiver.url}/v1/logs?index=gatehouse&x=%20`);
    expect(receiver.batches.at(-1)).toMatchObject({ path: "/audit/v1/logs?index=gatehouse&x=%20", method: "POST" });
  });

  test("says coarsely why not, and never what was sent or answered", async () => {
    receiver.behave(
      (response) => void response.writeHead(503).end("the secret of the receiver"),
      answers(301, { location: "https://elsewhere.example" }),
      answers(413),
    );
    const token = "do-not-tell";
    const refusals = [await sendTo(receiver.url, token), await sendTo(receiver.url, token), await sendTo(receiver.url, token)];
    expect(refusals.map(({ answer }) => answer)).toEqual([
      { taken: false, tooLarge: false, reason: "answered 503" },
      { taken: false, tooLarge: false, reason: "answered 301; redirects are not followed" },
      { taken: false, tooLarge: true, reason: "answered 413" },
    ]);
    const unknown = await sendTo("http://nobody.invalid/secret-path?key=secret", token);
    expect(unknown.answer).toMatchObject({ taken: false, reason: expect.stringMatching(/^nobody[.]invalid /) });
    expect(JSON.stringify(unknown.answer)).not.toMatch(/secret|do-not-tell/);
  });

  test("reaches the private address that the operator named, and no other", async () => {
    const target = toHttp(receiver.url);
    expect(await transports.http.send(target, [event("x")])).toEqual({ taken: true });
    const elsewhere = { ...target, url: new URL("http://127.0.0.2:1/") };
    expect(await transports.http.send(elsewhere, [event("x")])).toMatchObject({
      reason: expect.stringContaining("is not a public address"),
    });
  });
});
