import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, DAY, HOUR } from "../../kernel/clock.ts";
import { createDns } from "../../platform/dns/index.ts";
import { type DnsPeer, dnsPeer } from "../../testing/dns-peer.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { identityProvider } from "../../testing/identity-providers.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { recheckDomains } from "./verification.ts";

let iam: Harness;
let dns: DnsPeer;
beforeAll(async () => {
  dns = await dnsPeer();
  iam = await harness({ GATEHOUSE_DNS_SERVERS: dns.server });
  await iam.server.jobs.stop();
});
afterEach(() => {
  clock.reset();
  dns.now("answers");
});
afterAll(async () => {
  await iam?.close();
  await dns?.close();
});

type Admin = Awaited<ReturnType<RealmUnderTest["as"]>>;
async function acme(admin: Admin, domain: string) {
  const { body, status, text } = await admin.post("/organizations", { name: domain, domains: [{ domain }] });
  expect(status, text).toBe(201);
  const [{ verification }] = body.domains;
  return {
    at: `/organizations/${body.organizationId}`,
    verify: `/organizations/${body.organizationId}/domains/${domain}/verify`,
    verification,
  };
}
const domainOf = async (admin: Admin, at: string) => (await admin.get(at)).body.domains[0];
const recheck = () => recheckDomains({ ...iam.core.background, dns: createDns({ servers: [dns.server] }) });

test("a domain is verified by the TXT record that GET shows, and by nothing like it", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-organizations", "view-users");
  const { at, verify, verification } = await acme(admin, "dns.example");
  expect(verification).toEqual({
    method: null,
    recordName: "_gatehouse.dns.example",
    recordValue: expect.stringMatching(/^gatehouse-domain-verification=[0-9a-f-]{36}$/),
    missingSince: null,
  });
  const { recordName, recordValue } = verification;
  const none = await admin.post(verify);
  expect(none).toMatchObject({
    status: 409,
    body: { code: "organizations.domain_unproven", detail: expect.stringContaining(recordValue) },
  });
  dns.publish("dns.example", recordValue);
  dns.publish(recordName, "v=spf1 -all", `${recordValue}0`, recordValue.slice(0, -1));
  expect((await admin.post(verify)).status).toBe(409);
  dns.now("fails");
  expect(await admin.post(verify)).toMatchObject({ status: 503, body: { code: "organizations.dns_unavailable" } });
  dns.now("answers");
  expect((await domainOf(admin, at)).verified).toBe(false);

  dns.publish(recordName, "v=spf1 -all", ` ${recordValue} `);
  const { headers } = await admin.get(at);
  expect((await admin.post(verify, undefined, { headers: { "if-match": '"99"' } })).status).toBe(412);
  const proven = await admin.post(verify);
  expect(proven).toMatchObject({ status: 200, body: { domain: "dns.example", verified: true, verification: { method: "dns" } } });
  const { body, headers: after } = await admin.get(at);
  expect(body.domains).toEqual([proven.body]);
  expect(after.etag).not.toBe(headers.etag);
  expect((await admin.post(verify.replace("dns.example", "DNS.Example."))).status).toBe(200);
  for (const other of ["other.example", "not%20one", "%00"])
    expect((await admin.post(verify.replace("dns.example", other))).status).toBe(404);
  const events = await realm.events("resourceType=organizations&type=ADMIN_UPDATE");
  expect(events.map(({ detail }) => detail)).toEqual(["domain dns.example verified by DNS"]);

  // GET's answer is a valid PUT, and keeps the domain verified; the way of verification cannot be set.
  expect((await admin.put(at, body)).body.domains).toEqual(body.domains);
  const [domain] = body.domains;
  const claimed = await admin.put(at, { ...body, domains: [{ ...domain, verification: { ...domain.verification, method: "admin" } }] });
  expect(claimed).toMatchObject({ status: 400, body: { errors: [{ field: "domains.0.verification.method", code: "read_only" }] } });
  // Removed and added again it has to be proven again, by another value.
  expect((await admin.patch(at, { domains: [] })).status).toBe(200);
  expect((await admin.patch(at, { domains: [{ domain: "dns.example" }] })).body.domains[0].verified).toBe(false);
  expect((await admin.post(verify)).status).toBe(409);
  // Another realm's organization is none of this one.
  const other = await (await iam.realm()).as("manage-organizations", "view-users");
  expect((await other.post(verify)).body.code).toBe("organizations.not_found");
  expect((await (await realm.as("view-users")).post(verify)).status).toBe(403);
});

test("a missing record is recorded immediately, counts for a week, and is looked for again; what the DNS does not answer says nothing", async () => {
  const realm = await iam.realm();
  const admin = await realm.as("manage-organizations", "view-users");
  const { at, verify, verification } = await acme(admin, "gone.example");
  const { recordName, recordValue } = verification;
  dns.publish(recordName, recordValue);
  expect((await admin.post(verify)).status).toBe(200);
  const start = clock.now();
  const later = async (ms: number) => {
    clock.advance(ms);
    await recheck();
    clock.reset();
    const { verified, verification: shown } = await domainOf(admin, at);
    return [verified, shown.missingSince === null ? null : Math.round((shown.missingSince - start) / DAY)];
  };
  const asked = dns.asked.length;
  expect(await later(HOUR)).toEqual([true, null]);
  expect(dns.asked.length, "once a day").toBe(asked);
  expect(await later(DAY + HOUR)).toEqual([true, null]);
  expect(dns.asked.length).toBeGreaterThan(asked);
  dns.now("fails");
  expect(await later(3 * DAY)).toEqual([true, null]);
  dns.now("answers");
  dns.remove(recordName);
  expect(await later(4 * DAY)).toEqual([true, 4]);
  dns.publish(recordName, recordValue);
  expect(await later(5 * DAY)).toEqual([true, null]);
  dns.remove(recordName);
  expect(await later(7 * DAY)).toEqual([true, 7]);
  expect(await later(13 * DAY)).toEqual([true, 7]);
  expect(await later(14 * DAY + HOUR)).toEqual([false, null]);
  const events = await realm.events("resourceType=organizations&type=ADMIN_UPDATE");
  expect(events.map(({ detail }) => detail)).toEqual([
    "domain gone.example is no longer verified: its TXT record is gone",
    "domain gone.example: its TXT record is missing",
    "domain gone.example: its TXT record is missing",
    "domain gone.example verified by DNS",
  ]);
});

test("to call a domain verified takes realm-admin, and to name an identity provider takes manage-identity-providers", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster();
  expect((await master.post("/identity-providers", identityProvider("google", "corp"))).status).toBe(201);
  const lesser = await realm.as("manage-organizations", "view-users");
  const both = await realm.as("manage-organizations", "view-users", "manage-identity-providers");
  const verified = { name: "V", domains: [{ domain: "word.example", verified: true }] };
  for (const admin of [lesser, both]) expect((await admin.post("/organizations", verified)).body.code).toBe("permissions.escalation");
  expect((await lesser.post("/organizations", { name: "P", identityProvider: "corp" })).body.code).toBe("permissions.escalation");
  expect((await both.post("/organizations", { name: "P", identityProvider: "nothing" })).body.errors).toMatchObject([
    { field: "identityProvider", code: "unknown_identity_provider" },
  ]);
  const { body } = await both.post("/organizations", { name: "Acme", identityProvider: "corp", domains: [{ domain: "word.example" }] });
  const at = `/organizations/${body.organizationId}`;
  const word = [{ domain: "word.example", verified: true }];
  expect((await lesser.patch(at, { domains: word })).status).toBe(403);
  expect((await master.patch(at, { domains: word })).body.domains).toMatchObject([{ verified: true, verification: { method: "admin" } }]);
  // A present setting may stay, and every manager may narrow it.
  expect((await lesser.patch(at, { displayName: "Acme Inc.", domains: word })).status).toBe(200);
  expect((await lesser.patch(at, { identityProvider: null })).status).toBe(403);
  expect((await lesser.patch(at, { domains: [] })).status).toBe(200);
  expect((await both.patch(at, { identityProvider: null })).status).toBe(200);

  // A stored alias that names no provider counts as none, and does not come to life with a provider of that name.
  await iam.core.db.updateTable("organizations").set({ identity_provider: "later" }).where("realm_id", "=", realm.name).execute();
  expect((await lesser.get(at)).body.identityProvider).toBeNull();
  expect((await lesser.put(at, (await lesser.get(at)).body)).status).toBe(200);
  await iam.core.db.updateTable("organizations").set({ identity_provider: "later" }).where("realm_id", "=", realm.name).execute();
  expect((await master.post("/identity-providers", identityProvider("google", "later"))).status).toBe(201);
  expect((await lesser.get(at)).body.identityProvider).toBeNull();
});
