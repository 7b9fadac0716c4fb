import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { onPostgres } from "../../../testing/on-postgres.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { relyingParty } from "../../../testing/relying-party.ts";

let iam: SharedHarness;
let peer: Server;
let url: string;
let answer: number;
const heard: string[] = [];
beforeAll(async () => {
  // In development mode, a client on this machine may be notified without TLS.
  iam = await sharedHarness({ GATEHOUSE_MODE: "development" });
  await iam.server.jobs.stop();
  peer = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    heard.push(new URLSearchParams(body).get("logout_token") ?? "");
    response.writeHead(answer).end();
  });
  await new Promise<void>((resolve) => peer.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(peer.address() as AddressInfo).port}/logout`;
});
afterEach(() => {
  clock.reset();
  heard.length = 0;
});
afterAll(async () => {
  peer?.close();
  await iam?.close();
});

const endings: Record<string, (realm: RealmUnderTest, user: { userId: string }) => Promise<unknown>> = {
  "revoking the session": async (realm) => realm.asMaster().delete(`/sessions/${(await realm.asMaster().get("/sessions")).body[0].id}`),
  "ending the sessions of the user": (realm, { userId }) => realm.asMaster().delete(`/users/${userId}/sessions`),
  "signing the user out": (realm, { userId }) => realm.asMaster().post(`/users/${userId}/logout`),
  "disabling the user": async (realm, { userId }) => {
    const known = (await realm.asMaster().get(`/users/${userId}`)).body;
    return realm.asMaster().put(`/users/${userId}`, { ...known, enabled: false });
  },
  "deleting the user": (realm, { userId }) => realm.asMaster().delete(`/users/${userId}`),
  "letting it expire": async (realm) => {
    await iam.core.db.updateTable("sessions").set({ expires_at: clock.now() }).where("realm_id", "=", realm.name).execute();
    clock.advance(MINUTE);
    await iam.server.jobs.runDue();
  },
  "erasing the user": (realm, { userId }) => realm.asMaster().delete(`/users/${userId}/gdpr`),
};

test.each(Object.keys(endings))("%s notifies every participating client with a logout address", async (what) => {
  answer = 204;
  const realm = await iam.realm();
  const [notified, deaf] = [
    await relyingParty(iam, realm, { backchannelLogoutUri: url, backchannelLogoutSessionRequired: true }),
    await relyingParty(iam, realm, { clientId: "deaf" }),
  ];
  const user = await realm.user();
  const browser = iam.browser();
  const { id_token } = (await notified.signIn(browser, user)).body;
  await deaf.signIn(browser, user);
  await endings[what]!(realm, user);
  await iam.server.jobs.runDue();
  expect(heard).toHaveLength(1);
  const claims = decodeJwt(heard[0]!);
  const isGone = what.startsWith("deleting") || what.startsWith("erasing");
  expect(claims).toMatchObject({
    iss: `${iam.config.baseUrl}/realms/${realm.name}`,
    aud: "app",
    sid: decodeJwt(id_token).sid,
    events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    jti: expect.any(String),
  });
  expect(claims.sub).toBe(isGone ? undefined : user.userId);
  expect(claims.nonce).toBeUndefined();
  expect(decodeProtectedHeader(heard[0]!).typ).toBe("logout+jwt");
});

onPostgres("a client that cannot be reached is notified later; one that refuses is not notified again", async () => {
  const realm = await iam.realm();
  const party = await relyingParty(iam, realm, { backchannelLogoutUri: url });
  const user = await realm.user();
  for (const [status, tries] of [
    [503, 2],
    [400, 1],
  ] as const) {
    heard.length = 0;
    answer = status;
    await party.signIn(iam.browser(), user);
    await endings["revoking the session"]!(realm, user);
    await iam.server.jobs.runDue();
    answer = 200;
    clock.advance(MINUTE);
    await iam.server.jobs.runDue();
    clock.advance(MINUTE);
    await iam.server.jobs.runDue();
    expect(heard).toHaveLength(tries);
    clock.reset();
  }
});
