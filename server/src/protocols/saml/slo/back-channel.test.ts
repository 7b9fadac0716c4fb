import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import { openLogoutRequest, readSoap, STATUS } from "../../../platform/saml/index.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { logoutProvider, soapPeer } from "../../../testing/logout-provider.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { type Identity, makeIdentity } from "../../../testing/saml-peers.ts";
import { SAML_LOGOUT_JOB } from "./back-channel.ts";

let iam: SharedHarness;
let identity: Identity;
let peer: Awaited<ReturnType<typeof soapPeer>>;
beforeAll(async () => {
  iam = await sharedHarness({ GATEHOUSE_MODE: "development" });
  await iam.server.jobs.stop();
  identity = await makeIdentity();
  peer = await soapPeer(identity);
});
afterEach(async () => {
  clock.reset();
  // A retry that one test leaves behind must not count in the next.
  await iam.core.db.deleteFrom("jobs").where("kind", "=", SAML_LOGOUT_JOB).execute();
  peer.heard.length = 0;
  Object.assign(peer, { status: 200, answer: { code: STATUS.success }, signs: true, issuer: "https://soap.example/metadata" });
});
afterAll(async () => {
  peer?.close();
  await iam?.close();
});

/** Creates a service provider with a back channel, and one that the browser notifies, which share a session. */
async function joined({ alsoBrowser = false } = {}) {
  peer.issuer = "https://soap.example/metadata";
  const realm = await iam.realm();
  const [user, browser] = [await realm.user(), iam.browser()];
  const members = { singleLogoutServiceUrl: peer.url, options: { backChannelSloEnabled: true, sloEndpoints: [] } };
  const soap = await logoutProvider(iam, realm, "soap", { identity, members });
  const plain = await logoutProvider(iam, realm, "plain", { identity });
  await soap.join(browser, user);
  if (alsoBrowser) await plain.join(browser, user);
  return { realm, user, browser, soap, plain };
}
const run = () => iam.server.jobs.runDue();

const endings: Record<string, (realm: RealmUnderTest, userId: string) => Promise<unknown>> = {
  "revoking the session": async (realm) => realm.asMaster().delete(`/sessions/${(await realm.asMaster().get("/sessions")).body[0].id}`),
  "disabling the user": async (realm, userId) => {
    const known = (await realm.asMaster().get(`/users/${userId}`)).body;
    return realm.asMaster().put(`/users/${userId}`, { ...known, enabled: false });
  },
  "deleting the user": (realm, userId) => realm.asMaster().delete(`/users/${userId}`),
  "erasing the user": (realm, userId) => realm.asMaster().delete(`/users/${userId}/gdpr`),
  "letting it expire": async (realm) => {
    await iam.core.db.updateTable("sessions").set({ expires_at: clock.now() }).where("realm_id", "=", realm.name).execute();
    clock.advance(MINUTE);
    await run();
  },
};
test.each(Object.keys(endings))("%s sends a signed LogoutRequest of the session, once", async (what) => {
  const { realm, user, soap } = await joined();
  await endings[what]!(realm, user.userId);
  const jobs = await iam.core.db.selectFrom("jobs").select(["payload", "sealed"]).where("kind", "=", "saml.backchannel_logout").execute();
  expect(JSON.stringify(jobs.map(({ payload }) => payload))).not.toContain(soap.known.nameId.value);
  await run();
  await run();
  expect(peer.heard).toHaveLength(1);
  const received = readSoap(Buffer.from(peer.heard[0]!));
  const { message } = await openLogoutRequest(received, { keys: await soap.keysOfRealm(), required: true });
  expect(message).toMatchObject({ issuer: soap.issuer, destination: peer.url, sessionIndexes: [soap.known.sessionIndex] });
  expect(message.nameId).toEqual(soap.known.nameId);
});

test("one that cannot be reached, or whose answer is not signed, is notified again; one that refuses is not", async () => {
  const { realm, user, soap, browser } = await joined();
  for (const [how, tries] of [
    [{ status: 503 }, 2],
    [{ signs: false }, 2],
    [{ issuer: "https://another.example/" }, 2],
    [{ answer: { code: STATUS.responder, subCode: STATUS.requestDenied } }, 1],
    [{ answer: { code: STATUS.requester, subCode: STATUS.unknownPrincipal } }, 1],
  ] as const) {
    peer.heard.length = 0;
    Object.assign(peer, how);
    await soap.join(browser, user);
    await endings["revoking the session"]!(realm, user.userId);
    await run();
    Object.assign(peer, { status: 200, answer: { code: STATUS.success }, signs: true, issuer: soap.entityId });
    clock.advance(MINUTE);
    await run();
    clock.advance(MINUTE);
    await run();
    expect(peer.heard, JSON.stringify(how)).toHaveLength(tries);
    clock.reset();
  }
});

test("without `backChannelSloEnabled`, or disabled, it is not notified", async () => {
  const { realm, user, soap, browser } = await joined();
  const path = `/saml-clients/${encodeURIComponent(soap.entityId)}`;
  for (const change of [{ options: { backChannelSloEnabled: false } }, { enabled: false, options: { backChannelSloEnabled: true } }]) {
    if (change.enabled !== false) await soap.join(browser, user).catch(() => {});
    expect((await realm.asMaster().patch(path, change)).status).toBe(200);
    await endings["revoking the session"]!(realm, user.userId);
    await run();
    await run();
    if (change.enabled === false) break;
    expect((await realm.asMaster().patch(path, { options: { backChannelSloEnabled: true } })).status).toBe(200);
    await soap.join(browser, user);
  }
  expect(peer.heard).toEqual([]);
});

test("a service provider requests logout by the browser: the other is notified over SOAP; the requester is not notified", async () => {
  const { realm, browser, soap, plain } = await joined({ alsoBrowser: true });
  const asking = plain.askToLogOut(browser);
  await expect.poll(() => run().then(() => peer.heard.length)).toBe(1);
  expect(await plain.answered(await asking)).toMatchObject({ status: { code: STATUS.success, subCode: null } });
  expect(await realm.events("type=LOGOUT")).toMatchObject([{ detail: `asked by ${plain.entityId}` }]);
  expect(soap.entityId).toBe(peer.issuer);
});

test("a service provider that is not reached in time makes the logout partial, and is notified later", async () => {
  const { browser, plain } = await joined({ alsoBrowser: true });
  peer.status = 503;
  const asking = plain.askToLogOut(browser);
  await expect.poll(() => run().then(() => peer.heard.length)).toBe(1);
  const page = await asking;
  expect(page.text).toContain("<strong>soap</strong> <span>didn’t answer; you may still be signed in there</span>");
  const finish = /data-next="([^"]+)"/.exec(page.text)![1]!;
  expect(await plain.answered(await browser.get(finish))).toMatchObject({ status: { subCode: STATUS.partialLogout } });
});

test("a service provider requests logout over SOAP: the session ends in its browser, and the response tells whether all were notified", async () => {
  const { realm, user, browser, soap, plain } = await joined({ alsoBrowser: true });
  const { soap: envelope } = await plain.logoutRequest();
  const asking = plain.askBySoap(envelope);
  await expect.poll(() => run().then(() => peer.heard.length)).toBe(1);
  const answer = await asking;
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/xml; charset=utf-8"]);
  expect((await plain.answeredBySoap(answer.body)).status).toMatchObject({ code: STATUS.success, subCode: null });
  expect(await realm.events("type=LOGOUT")).toMatchObject([{ actor: user.username, detail: `asked by ${plain.entityId}` }]);
  expect((await browser.get(`/realms/${realm.name}/account/profile`)).status).toBe(401);

  // Here the other one can only be notified by the browser.
  await soap.join(browser, user);
  await plain.join(browser, user);
  const partial = await soap.askBySoap((await soap.logoutRequest()).soap);
  expect((await soap.answeredBySoap(partial.body)).status).toMatchObject({ code: STATUS.success, subCode: STATUS.partialLogout });
});

test("over SOAP without a SessionIndex every session of the user ends, and those of others do not", async () => {
  const { realm, user, browser, plain } = await joined({ alsoBrowser: true });
  const second = iam.browser();
  await plain.join(second, user);
  await plain.join(iam.browser(), await realm.user());
  const other = plain.known;
  await plain.join(browser, user);
  const asking = plain.askBySoap((await plain.logoutRequest({ sessionIndexes: [] })).soap);
  await expect.poll(() => run().then(() => peer.heard.length)).toBe(1);
  await asking;
  const left = await iam.core.db.selectFrom("session_participants").select("participant").where("realm_id", "=", realm.name).execute();
  expect(left.map(({ participant }) => participant)).toMatchObject([{ nameId: { value: other.nameId.value } }]);
});

test("over SOAP a SessionIndex names one of any number of sessions; without one a hundred end at once, and the answer is partial", async () => {
  const { realm, user, plain } = await joined();
  await plain.join(iam.browser(), user);
  const { db } = iam.core;
  const mine = sql`(select session_id from session_participants where realm_id = ${realm.name} and client_id = ${plain.entityId})`;
  // These are a hundred more sessions, with ids before that of the session itself.
  await sql`with old as (select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid as id from generate_series(1, 100) n),
    copies as (insert into sessions select (jsonb_populate_record(s, jsonb_build_object('session_id', id, 'token_hash', id))).*
      from sessions s, old where s.realm_id = ${realm.name} and s.session_id in ${mine} returning session_id)
    insert into session_participants select (jsonb_populate_record(p, jsonb_build_object('session_id', c.session_id,
        'participant', p.participant || jsonb_build_object('sessionIndex', c.session_id)))).*
      from session_participants p, copies c where p.realm_id = ${realm.name} and p.client_id = ${plain.entityId}`.execute(db);
  const left = async () =>
    (await sql`select 1 from sessions where realm_id = ${realm.name} and user_id = ${user.userId}`.execute(db)).rows.length;
  const before = await left();
  const ask = async (options?: { sessionIndexes: string[] }) =>
    (await plain.answeredBySoap((await plain.askBySoap((await plain.logoutRequest(options)).soap)).body)).status;
  expect(await ask()).toMatchObject({ code: STATUS.success, subCode: null });
  expect(await left()).toBe(before - 1);
  await plain.join(iam.browser(), user);
  expect(await ask({ sessionIndexes: [] })).toMatchObject({ code: STATUS.success, subCode: STATUS.partialLogout });
  expect(await ask({ sessionIndexes: [] }), "the rest").toMatchObject({ code: STATUS.success, subCode: null });
  expect(await left()).toBe(before - 101);
});
