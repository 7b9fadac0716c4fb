import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "../../../kernel/ids.ts";
import { createOutbound, type Outbound } from "../../../platform/outbound/index.ts";
import { httpsPeer, type SeenRequest } from "../../../testing/https-peer.ts";
import type { Listening } from "../../../testing/peer-sockets.ts";
import { privateAuthority } from "../../../testing/private-authority.ts";
import type { Provider } from "../driver.ts";
import { sendNow } from "../send.ts";

let outbound: Outbound;
let gateway: Listening;
let answer: { status: number; body: string; headers?: Record<string, string> };
const seen: SeenRequest[] = [];
beforeAll(async () => {
  const authority = await privateAuthority();
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  outbound = createOutbound({ allowedHosts: ["127.0.0.1"], allowLoopbackHttp: false, ca: authority.ca, resolve });
  gateway = await httpsPeer(await authority.identity("peer.internal"), (request, response) => {
    seen.push(request);
    response.writeHead(answer.status, answer.headers ?? {}).end(answer.body);
  });
});
afterAll(async () => {
  await gateway?.close();
  await outbound?.close();
});
beforeEach(() => {
  seen.length = 0;
  answer = { status: 200, body: "" };
});

const sms = (driver: string, config: object, more: Partial<Provider> = {}): Provider => ({
  id: newId(),
  realm: "acme",
  version: 1,
  channel: "SMS",
  driver,
  fromAddress: "Acme",
  fromName: null,
  config: { ...config },
  secret: "the-secret",
  ...more,
});
const url = () => `https://peer.internal:${gateway.port}`;
const twilio = (config: object = {}) => sms("twilio", { accountSid: "AC1", baseUrl: `${url()}/`, ...config });
const http = (config: object = {}, more: Partial<Provider> = {}) => sms("http", { url: `${url()}/send`, ...config }, more);
const send = (provider: Provider) =>
  sendNow(
    provider,
    { id: "m1", to: "+31612345678", subject: null, text: "Code 1 & 2", html: null },
    { outbound, signal: new AbortController().signal },
  ).catch((error: unknown) => error);

describe("twilio", () => {
  test.each([
    [400, 21211, "recipient"],
    [400, 21614, "recipient"],
    [400, 21610, "recipient"],
    [401, 20003, "credentials"],
    [403, 20003, "credentials"],
    [429, 20429, "throttled"],
    [400, 21611, "throttled"],
    [400, 21602, "rejected"],
    [400, "21211", "recipient"],
    [404, 20404, "refused"],
    [500, 20500, "refused"],
    [302, null, "refused"],
  ] as const)("%i with code %s is: %s", async (status, code, failure) => {
    answer = { status, body: JSON.stringify({ code }) };
    expect(await send(twilio())).toMatchObject({ failure });
  });

  test("an answer that is no JSON, or odd JSON, is reported by its status", async () => {
    for (const body of ["<html>", "null", "[1]", '{"code": {"a": 1}}', ""]) {
      answer = { status: 400, body };
      expect(await send(twilio()), body).toMatchObject({ failure: "rejected" });
    }
    answer = { status: 201, body: "<html>" };
    expect(await send(twilio())).toEqual({ messageId: "m1" });
    answer = { status: 201, body: JSON.stringify({ sid: "SM\r\nSet-Cookie: x" }) };
    expect(await send(twilio())).toEqual({ messageId: "m1" });
  });

  test("the sender is the provider's, or picked by the messaging service", async () => {
    await send(twilio());
    await send(twilio({ messagingServiceSid: "MG1" }));
    expect(seen.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
      { To: "+31612345678", Body: "Code 1 & 2", From: "Acme" },
      { To: "+31612345678", Body: "Code 1 & 2", MessagingServiceSid: "MG1" },
    ]);
    expect(seen[0]!.path).toBe("/2010-04-01/Accounts/AC1/Messages.json");
  });
});

describe("http", () => {
  test("without a template it sends every value under its name", async () => {
    await send(http());
    expect(JSON.parse(seen[0]!.body)).toEqual({ id: "m1", to: "+31612345678", from: "Acme", text: "Code 1 & 2" });
    expect(seen[0]).toMatchObject({
      method: "POST",
      path: "/send",
      headers: { "content-type": "application/json", "idempotency-key": "m1" },
    });
    await send(http({ method: "PUT", contentType: "form" }));
    expect(seen[1]).toMatchObject({
      method: "PUT",
      body: "id=m1&to=%2B31612345678&from=Acme&text=Code+1+%26+2",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
  });

  test.each([
    [{}, { authorization: "Bearer the-secret" }],
    [{ authorization: "Token" }, { authorization: "Token the-secret" }],
    [{ authorization: "Basic" }, { authorization: `Basic ${Buffer.from("the-secret").toString("base64")}` }],
    [{ secretHeader: "X-Key" }, { "x-key": "the-secret" }],
    [{ headers: { "X-Account": "acme" } }, { authorization: "Bearer the-secret", "x-account": "acme" }],
  ])("%j carries the secret in %j", async (config, headers) => {
    await send(http(config));
    expect(seen[0]!.headers).toMatchObject(headers);
    if ("secretHeader" in config) expect(seen[0]!.headers).not.toHaveProperty("authorization");
  });

  test("without a secret there is no Authorization", async () => {
    await send(http({}, { secret: null }));
    expect(seen[0]!.headers).not.toHaveProperty("authorization");
  });

  test.each([
    [401, "", "credentials"],
    [403, "", "credentials"],
    [400, "", "rejected"],
    [413, "", "rejected"],
    [422, '{"error":"recipient"}', "recipient"],
    [400, '{"error":"throttled"}', "throttled"],
    [422, '{"error":"constructor"}', "rejected"],
    [404, "", "refused"],
    [429, "", "throttled"],
    [503, "", "refused"],
    [302, "", "refused"],
  ])("%i %s is: %s", async (status, body, failure) => {
    answer = { status, body };
    expect(await send(http())).toMatchObject({ failure });
  });

  test.each([
    ["7", 7_000],
    ["99999999", 3_600_000],
    ["soon", null],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
  ])("Retry-After: %s is waited for, within reason", async (value, retryAfterMs) => {
    answer = { status: 429, body: "", headers: { "retry-after": value } };
    expect(await send(http())).toMatchObject({ retryAfterMs });
  });
});
