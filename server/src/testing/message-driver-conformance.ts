import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newId } from "../kernel/ids.ts";
import { createOutbound, type Outbound } from "../platform/outbound/index.ts";
import { driverOf, type Envelope, MessageError, type Provider, sendNow } from "../tenancy/messaging/index.ts";
import { httpsPeer } from "./https-peer.ts";
import type { Listening } from "./peer-sockets.ts";
import { type PrivateAuthority, privateAuthority } from "./private-authority.ts";

export const PEER_HOST = "peer.internal";

/** The reaction of the other side to the next message. */
export type Behaviour = "accept" | "refuse recipient" | "throttle" | "fail" | "hang" | "redirect" | "endless";

/** A message as it was received, whatever the protocol. */
export interface Arrived {
  readonly id: string;
  readonly to: readonly string[];
  readonly from: string | null;
  readonly title: string | null;
  readonly text: string;
  readonly html: string | null;
  /** The names of the headers that came with it. */
  readonly headers: readonly string[];
}

/** The other side of a driver: a real server on loopback. */
export interface DriverPeer {
  readonly provider: Provider;
  /** The same provider with a secret that the peer refuses. */
  readonly withWrongSecret: Provider;
  /** An address for this channel. */
  readonly to: string;
  readonly arrived: Arrived[];
  readonly listening: Listening;
  behave(behaviour: Behaviour): void;
  /** The number of bytes that an endless peer had written when the driver hung up. */
  readonly written: () => number;
}

export interface PeerParts {
  readonly authority: PrivateAuthority;
  /** The target of a redirect, which is an internal address. */
  readonly trap: string;
}

const TITLE = "Zoë, your code – 代码 🔑";
const TEXT = "Zoë, your code is 918273.\nLine two: € ≠ $ “quoted” 漢字 🎉\n.\nA line that begins with a dot and one with &amp; <b>.";

export const envelopeTo = (to: string, more: Partial<Envelope> = {}): Envelope => ({
  id: newId(),
  to,
  subject: TITLE,
  text: TEXT,
  html: null,
  ...more,
});

/** Tests the rules that every driver keeps: a message arrives as it was given, and every fault of a peer becomes one of the known failures. */
export function describeDriver(
  name: string,
  carries: { readonly title: boolean; readonly html: boolean; readonly from: boolean },
  makePeer: (parts: PeerParts) => Promise<DriverPeer>,
): void {
  describe(name, () => {
    let outbound: Outbound;
    let guarded: Outbound;
    let peer: DriverPeer;
    let trap: Listening;
    let trapped = 0;

    beforeAll(async () => {
      const authority = await privateAuthority();
      trap = await httpsPeer(await authority.identity(PEER_HOST), (_request, response) => {
        trapped += 1;
        response.end("inside");
      });
      const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
      const trusting = { ca: authority.ca, allowLoopbackHttp: false, resolve };
      outbound = createOutbound({ ...trusting, allowedHosts: ["127.0.0.1"] });
      guarded = createOutbound({ ...trusting, allowedHosts: [] });
      peer = await makePeer({ authority, trap: `https://${PEER_HOST}:${trap.port}/` });
    });
    afterAll(async () => {
      await peer?.listening.close();
      await trap?.close();
      await outbound?.close();
      await guarded?.close();
    });

    const send = (envelope: Envelope, how: { provider?: Provider; through?: Outbound; timeoutMs?: number; signal?: AbortSignal } = {}) => {
      const { provider = peer.provider, through = outbound, timeoutMs, signal = new AbortController().signal } = how;
      return sendNow(provider, envelope, { outbound: through, signal }, timeoutMs);
    };
    const failing = async (sending: Promise<unknown>): Promise<MessageError> => {
      const error = await sending.then(
        () => expect.unreachable("the message was sent"),
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(MessageError);
      tellsNothing(error as MessageError);
      return error as MessageError;
    };
    /** Checks that neither the error nor its causes contain a secret, the recipient or the text. */
    const tellsNothing = (error: MessageError) => {
      const recorded = `${inspect(error, { depth: 20, showHidden: true })} ${JSON.stringify(error)} ${error.stack}`;
      const { secret } = peer.provider;
      const parts = [secret!, peer.withWrongSecret.secret!].flatMap((text) => [
        text,
        JSON.stringify(text).slice(1, -1),
        Buffer.from(text).toString("base64"),
      ]);
      for (const hidden of [...parts, peer.to, "918273", "Bearer ", "Basic ", "PRIVATE KEY"]) expect(recorded).not.toContain(hidden);
    };
    const behaving = async (behaviour: Behaviour, work: () => Promise<void>) => {
      peer.behave(behaviour);
      await work().finally(() => peer.behave("accept"));
    };
    const lastArrived = () => peer.arrived.at(-1)!;

    test("has nothing to say against its own provider", () => {
      expect(driverOf(peer.provider).check?.(peer.provider, outbound) ?? []).toEqual([]);
    });

    // The next two tests come before those that connect: a connection that was given up may still arrive later.
    test("does not reach an address that the guard refuses", async () => {
      expect(await failing(send(envelopeTo(peer.to), { through: guarded }))).toMatchObject({ failure: "unreachable", permanent: false });
      expect(peer.listening.connections()).toBe(0);
    });

    test("refuses a recipient that is more than one, or more than that", async () => {
      const arrived = peer.arrived.length;
      for (const to of [
        `${peer.to}\r\nBcc: evil@example.org`,
        `${peer.to}\n`,
        `${peer.to},evil@example.org`,
        `${peer.to} evil@example.org`,
        `<${peer.to}>`,
        `${peer.to}\u0000`,
        `${peer.to}/../other`,
        "",
      ])
        expect((await failing(send(envelopeTo(to)))).failure, JSON.stringify(to)).toBe("recipient");
      expect(peer.arrived).toHaveLength(arrived);
      expect(peer.listening.connections()).toBe(0);
    });

    test("sends what it was given, to the one it was given, in every script", async () => {
      const before = peer.arrived.length;
      const envelope = envelopeTo(peer.to, { html: "<p>Zoë, your code is <b>918273</b> 🎉</p>" });
      const { messageId } = await send(envelope);
      expect(messageId).toMatch(/^[\x21-\x7e]+$/);
      expect(peer.arrived).toHaveLength(before + 1);
      expect(lastArrived()).toMatchObject({
        id: envelope.id,
        to: [peer.to],
        text: TEXT,
        title: carries.title ? TITLE : null,
        html: carries.html ? envelope.html : null,
        from: carries.from ? peer.provider.fromAddress : null,
      });
    });

    test("gives a repetition the same id, and another message another", async () => {
      const envelope = envelopeTo(peer.to);
      const first = peer.arrived.length;
      for (const next of [envelope, envelope, envelopeTo(peer.to)]) await send(next);
      const [one, two, three] = peer.arrived.slice(first).map(({ id }) => id);
      expect(one).toBe(envelope.id);
      expect(two).toBe(one);
      expect(three).not.toBe(one);
    });

    test("says that the credentials are wrong, which may be mended", async () => {
      const before = peer.arrived.length;
      const error = await failing(send(envelopeTo(peer.to), { provider: peer.withWrongSecret }));
      expect(error).toMatchObject({ failure: "credentials", permanent: false });
      expect(peer.arrived).toHaveLength(before);
    });

    test("says that the recipient was refused, which is final", () =>
      behaving("refuse recipient", async () => {
        expect(await failing(send(envelopeTo(peer.to)))).toMatchObject({ failure: "recipient", permanent: true });
      }));

    test("says that it was too much, which passes", () =>
      behaving("throttle", async () => {
        expect(await failing(send(envelopeTo(peer.to)))).toMatchObject({ failure: "throttled", permanent: false });
      }));

    test("says that the peer has its own trouble, which passes", () =>
      behaving("fail", async () => {
        expect(await failing(send(envelopeTo(peer.to)))).toMatchObject({ failure: "refused", permanent: false });
      }));

    test("gives up on a peer that hangs, and works again when it does not", async () => {
      await behaving("hang", async () => {
        expect(await failing(send(envelopeTo(peer.to), { timeoutMs: 300 }))).toMatchObject({ failure: "timeout", permanent: false });
        const stopping = new AbortController();
        const sending = failing(send(envelopeTo(peer.to), { signal: stopping.signal }));
        setImmediate(() => stopping.abort(new Error("the server is shutting down")));
        expect(await sending).toMatchObject({ permanent: false });
      });
      const envelope = envelopeTo(peer.to);
      await send(envelope);
      expect(lastArrived().id).toBe(envelope.id);
    });

    test("goes nowhere that the peer sends it to", () =>
      behaving("redirect", async () => {
        await failing(send(envelopeTo(peer.to)));
        expect(trapped).toBe(0);
      }));

    test("stops reading an answer that never ends", () =>
      behaving("endless", async () => {
        const ended = await send(envelopeTo(peer.to)).catch((error: unknown) => error);
        expect(ended).not.toMatchObject({ failure: "timeout" });
        await expect.poll(peer.written).toBeGreaterThan(0);
        expect(peer.written()).toBeLessThan(64 * 1024 * 1024);
      }));

    test("trusts no certificate but those it should", async () => {
      const outsider = createOutbound({
        allowedHosts: ["127.0.0.1"],
        allowLoopbackHttp: false,
        resolve: async () => [{ address: "127.0.0.1", family: 4 }],
      });
      const before = peer.arrived.length;
      const error = await failing(send(envelopeTo(peer.to), { through: outsider }));
      expect(error.failure).toBe("insecure");
      expect(peer.arrived).toHaveLength(before);
      await outsider.close();
    });

    test("lets neither subject nor sender add a header or a recipient", async () => {
      const evil = "\r\nBcc: evil@example.org\r\nX-Evil: 1\r\n\r\nbody";
      const before = peer.arrived.length;
      const provider = { ...peer.provider, fromName: `Acme${evil}` };
      await send(envelopeTo(peer.to, { subject: `Hello${evil}` }), { provider });
      expect(peer.arrived).toHaveLength(before + 1);
      expect(lastArrived()).toMatchObject({ to: [peer.to], text: TEXT });
      expect(lastArrived().headers.map((header) => header.toLowerCase())).not.toEqual(expect.arrayContaining(["bcc"]));
      expect(lastArrived().headers.map((header) => header.toLowerCase())).not.toEqual(expect.arrayContaining(["x-evil"]));
    });

    test("reports that the address is unreachable", async () => {
      await peer.listening.close();
      expect(await failing(send(envelopeTo(peer.to)))).toMatchObject({ failure: "unreachable", permanent: false });
    });
  });
}
