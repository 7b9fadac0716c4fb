import { afterAll, beforeAll, expect, test } from "vitest";
import { type DnsPeer, dnsPeer } from "../../testing/dns-peer.ts";
import { createDns } from "./index.ts";

let peer: DnsPeer;
beforeAll(async () => {
  peer = await dnsPeer();
});
afterAll(() => peer?.close());

test("TXT records are read as one text each; no record is an empty list, and no answer is none, in time", async () => {
  const dns = createDns({ servers: [peer.server] });
  const long = "x".repeat(300);
  peer.publish("here.example", long, "second");
  expect([...(await dns.txt("here.example"))!].sort()).toEqual(["second", long]);
  expect(await dns.txt("nothing.example")).toEqual([]);
  peer.publish("empty.example");
  expect(await dns.txt("empty.example")).toEqual([]);
  expect(await dns.txt(`${"long.".repeat(60)}example`)).toBeNull();
  peer.now("fails");
  expect(await dns.txt("here.example")).toBeNull();
  peer.now("is silent");
  const before = performance.now();
  expect(await dns.txt("here.example")).toBeNull();
  expect(performance.now() - before).toBeLessThan(100_000);
});
