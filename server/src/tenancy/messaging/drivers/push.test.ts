import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clock, HOUR, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { newId } from "../../../kernel/ids.ts";
import { createOutbound, type Outbound } from "../../../platform/outbound/index.ts";
import { envelopeTo } from "../../../testing/message-driver-conformance.ts";
import { type PrivateAuthority, privateAuthority } from "../../../testing/private-authority.ts";
import { type ApnsDriverPeer, apnsDriverPeer, type FcmPeer, fcmDriverPeer } from "../../../testing/push-peers.ts";
import type { Envelope, Provider } from "../driver.ts";
import { sendNow } from "../send.ts";
import { apns } from "./apns.ts";
import { fcm } from "./fcm.ts";

let authority: PrivateAuthority;
let outbound: Outbound;
beforeAll(async () => {
  authority = await privateAuthority();
});
beforeEach(() => {
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  outbound = createOutbound({ allowedHosts: ["127.0.0.1"], allowLoopbackHttp: false, ca: authority.ca, resolve });
});
afterEach(async () => {
  clock.reset();
  await outbound.close();
});

const sending = (provider: Provider, envelope: Envelope) => sendNow(provider, envelope, { outbound, signal: new AbortController().signal });

describe("fcm", () => {
  let peer: FcmPeer;
  beforeEach(async () => {
    peer = await fcmDriverPeer({ authority, trap: "" });
  });
  afterEach(() => peer.listening.close());
  const send = (more: Partial<Envelope> = {}, provider = peer.provider) => sending(provider, envelopeTo(peer.to, more));

  test("asks for one token and keeps it until shortly before it ends", async () => {
    await Promise.all([send(), send(), send()]);
    expect(peer.grants).toHaveLength(1);
    expect(peer.grants[0]).toMatchObject({ scope: "https://www.googleapis.com/auth/firebase.messaging" });
    clock.advance(58 * MINUTE);
    await send();
    expect(peer.grants).toHaveLength(1);
    clock.advance(90 * SECOND);
    await send();
    expect(peer.grants).toHaveLength(2);
  });

  test("asks for another when the provider was changed, or the token was revoked", async () => {
    await send();
    await send({}, { ...peer.provider, version: 2 });
    expect(peer.grants).toHaveLength(2);
    peer.revoke();
    await expect(send()).rejects.toMatchObject({ failure: "credentials", permanent: false });
    await send();
    expect(peer.grants).toHaveLength(3);
  });

  test("a token request that failed is repeated", async () => {
    peer.behave("fail");
    await expect(send()).rejects.toMatchObject({ failure: "refused" });
    peer.behave("accept");
    await send();
    expect(peer.arrived).toHaveLength(1);
  });

  test("gets the time when the message expires, and which one it replaces", async () => {
    const id = newId();
    await send({ id, expiresAt: clock.now() + 5 * MINUTE, data: { challenge: "42" } });
    const [message] = peer.messages;
    expect(message).toMatchObject({ android: { notification: { tag: id } }, data: { challenge: "42", messageId: id } });
    expect(Number.parseInt(message!.android.ttl!, 10)).toBeGreaterThan(290);
    await send({ expiresAt: clock.now() - HOUR });
    expect(peer.messages[1]!.android.ttl).toBe("0s");
  });

  test("Retry-After is passed on", async () => {
    peer.behave("throttle");
    await expect(send()).rejects.toMatchObject({ failure: "throttled", retryAfterMs: 60_000 });
  });

  test.each([
    [404, { status: "NOT_FOUND", details: [{ "@type": "x" }, { errorCode: "UNREGISTERED" }] }, "recipient"],
    [400, { status: "INVALID_ARGUMENT", details: [{ fieldViolations: [{ field: "message.token" }] }] }, "recipient"],
    [400, { status: "INVALID_ARGUMENT", details: [{ errorCode: "INVALID_ARGUMENT" }] }, "rejected"],
    [403, { status: "PERMISSION_DENIED", details: [{ errorCode: "SENDER_ID_MISMATCH" }] }, "credentials"],
    [401, { status: "UNAUTHENTICATED", details: [{ errorCode: "THIRD_PARTY_AUTH_ERROR" }] }, "credentials"],
    [429, { status: "RESOURCE_EXHAUSTED", details: [{ errorCode: "QUOTA_EXCEEDED" }] }, "throttled"],
    [503, { status: "UNAVAILABLE", details: [{ errorCode: "UNAVAILABLE" }] }, "refused"],
    [500, { status: "INTERNAL" }, "refused"],
    [404, { status: "NOT_FOUND" }, "refused"],
    [404, "not an error of theirs", "refused"],
    [400, { status: 7, details: "x" }, "rejected"],
    [400, { details: [null, 1, { fieldViolations: [null] }] }, "rejected"],
    [400, null, "rejected"],
  ])("%i %j is: %s", async (status, error, failure) => {
    peer.answerWith(status, { error });
    await expect(send()).rejects.toMatchObject({ failure });
  });

  const faults = (change: Record<string, unknown> | string) =>
    fcm.check?.(
      {
        ...peer.provider,
        secret: typeof change === "string" ? change : JSON.stringify({ ...JSON.parse(peer.provider.secret!), ...change }),
      },
      outbound,
    );

  test("a service account is looked at before it is kept, and never quoted", () => {
    expect(faults({})).toEqual([]);
    const wrong: (Record<string, unknown> | string)[] = [
      "{ broken",
      "null",
      "[]",
      { project_id: "../other" },
      { project_id: undefined },
      { client_email: 1 },
      { private_key: "-----BEGIN PRIVATE KEY-----\nc2VjcmV0LXN0dWZm\n-----END PRIVATE KEY-----" },
      { token_uri: "http://example.com/token" },
      { token_uri: "https://169.254.169.254/token" },
      { token_uri: "file:///etc/passwd" },
      { token_uri: 7 },
    ];
    for (const change of wrong) {
      const found = faults(change);
      expect(found, JSON.stringify(change)).toMatchObject([{ field: "secret" }]);
      expect(JSON.stringify(found)).not.toMatch(/c2VjcmV0|broken|169\.254/);
    }
  });
});

describe("apns", () => {
  let peer: ApnsDriverPeer;
  beforeEach(async () => {
    peer = await apnsDriverPeer({ authority, trap: "" });
  });
  afterEach(() => peer.listening.close());
  const send = (more: Partial<Envelope> = {}, provider = peer.provider) => sending(provider, envelopeTo(peer.to, more));
  const tokens = () => peer.requests.map(({ authorization }) => String(authorization).replace("bearer ", ""));

  test("one connection and one token serve many messages", async () => {
    await send();
    await Promise.all([send(), send(), send()]);
    expect(peer.arrived).toHaveLength(4);
    expect(peer.listening.connections()).toBe(1);
    expect(new Set(tokens()).size).toBe(1);
    expect(decodeProtectedHeader(tokens()[0]!)).toEqual({ alg: "ES256", kid: "KEY1234567" });
    expect(decodeJwt(tokens()[0]!)).toEqual({ iss: "TEAM123456", iat: expect.any(Number) });
  });

  test("the token is renewed after 20 and before 60 minutes", async () => {
    await send();
    clock.advance(20 * MINUTE);
    await send();
    clock.advance(25 * MINUTE);
    await send();
    const issued = tokens().map((token) => decodeJwt(token).iat!);
    expect(issued[1]).toBe(issued[0]);
    expect(issued[2]! - issued[0]!).toBeGreaterThanOrEqual(45 * 60 - 1);
  });

  test.each(["goaway", "destroy"] as const)("a connection that was ended by %s is replaced, and the message arrives", async (how) => {
    await send();
    peer.hangUp(how);
    await send();
    expect(peer.arrived).toHaveLength(2);
    expect(peer.listening.connections()).toBe(2);
  });

  test.each([
    [410, "Unregistered", "recipient"],
    [410, "ExpiredToken", "recipient"],
    [400, "BadDeviceToken", "recipient"],
    [400, "DeviceTokenNotForTopic", "rejected"],
    [400, "BadTopic", "rejected"],
    [413, "PayloadTooLarge", "rejected"],
    [403, "InvalidProviderToken", "credentials"],
    [403, "ExpiredProviderToken", "credentials"],
    [429, "TooManyRequests", "throttled"],
    [429, "TooManyProviderTokenUpdates", "throttled"],
    [404, "BadPath", "refused"],
    [500, "InternalServerError", "refused"],
    [503, "Shutdown", "refused"],
  ])("%i %s is: %s", async (status, reason, failure) => {
    peer.answerWith(status, reason);
    await expect(send()).rejects.toMatchObject({ failure });
  });

  test("a token that was not taken is not used again", async () => {
    await send();
    peer.answerWith(403, "ExpiredProviderToken");
    await expect(send()).rejects.toMatchObject({ failure: "credentials" });
    clock.advance(2 * SECOND);
    peer.answerWith(200, "");
    await send();
    expect(peer.tokens).toHaveLength(3);
    expect(peer.tokens[1]).toBe(peer.tokens[0]);
    expect(peer.tokens[2]).not.toBe(peer.tokens[0]);
  });

  test("a changed provider gets a connection and its own token", async () => {
    await send();
    await send({}, { ...peer.provider, version: 2 });
    expect(peer.listening.connections()).toBe(2);
  });

  test("says what it is for, until when, and which one it replaces", async () => {
    const id = newId();
    const expiresAt = clock.now() + 5 * MINUTE;
    await send({ id, expiresAt, data: { aps: "not yours" } });
    expect(peer.requests[0]).toMatchObject({
      "apns-topic": "com.example.app",
      "apns-push-type": "alert",
      "apns-id": id,
      "apns-collapse-id": id,
      "apns-expiration": String(Math.floor(expiresAt / SECOND)),
    });
    expect(peer.arrived).toHaveLength(1);
  });

  test("the key and the address are looked at before they are kept", () => {
    const faults = (change: Partial<Provider>) => apns.check?.({ ...peer.provider, ...change }, outbound);
    expect(faults({})).toEqual([]);
    expect(faults({ secret: "not a key" })).toMatchObject([{ field: "secret" }]);
    expect(faults({ config: { ...peer.provider.config, baseUrl: "https://10.0.0.1/" } })).toMatchObject([{ field: "config.baseUrl" }]);
    expect(faults({ config: { ...peer.provider.config, baseUrl: "http://127.0.0.1/" } })?.[0]).toMatchObject({ field: "config.baseUrl" });
  });
});

afterAll(() => clock.reset());
