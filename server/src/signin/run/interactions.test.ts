import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import type { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import {
  completeInteraction,
  deleteExpiredInteractions,
  readInteraction,
  saveInteractionState,
  startInteraction,
  takeResult,
} from "./interactions.store.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const within = <T>(realm: string, work: (ctx: Ctx) => Promise<T>) =>
  iam.core.work.transact({ realm, actor: systemActor(realm), sourceIp: null }, work);
const start = (realm: string, browser: string, returnTo = "/go/on") =>
  within(realm, (ctx) => startInteraction(ctx, { kind: "test", browser, request: { client: "x" }, returnTo }));
const read = (realm: string, id: string, browser: string) => within(realm, (ctx) => readInteraction(ctx, id, [browser]));

describe("an interaction", () => {
  test("belongs to the browser and the realm that started it", async () => {
    const [one, two] = [await iam.realm(), await iam.realm()];
    const id = await start(one.name, "mine");
    expect(await read(one.name, id, "mine")).toMatchObject({ kind: "test", request: { client: "x" }, state: {}, result: null, version: 1 });
    await expect(read(one.name, id, "theirs")).rejects.toMatchObject({ code: "interactions.gone", status: 400 });
    await expect(read(two.name, id, "mine")).rejects.toMatchObject({ code: "interactions.gone" });
    for (const other of [newId(), "", "'; drop table interactions", "x".repeat(64)])
      await expect(read(one.name, other, "mine")).rejects.toMatchObject({ code: "interactions.gone" });
  });

  test("expires after half an hour and is cleaned up", async () => {
    const realm = await iam.realm();
    const id = await start(realm.name, "mine");
    clock.advance(30 * MINUTE + 1);
    await expect(read(realm.name, id, "mine")).rejects.toMatchObject({ code: "interactions.gone" });
    await deleteExpiredInteractions(iam.core.db, clock.now());
    expect(await iam.core.db.selectFrom("interactions").selectAll().where("realm_id", "=", realm.name).execute()).toEqual([]);
  });

  test("moves by version: the second of two tabs gets an error, and changes nothing", async () => {
    const realm = await iam.realm();
    const id = await start(realm.name, "mine");
    const [here, there] = [await read(realm.name, id, "mine"), await read(realm.name, id, "mine")];
    await within(realm.name, (ctx) => saveInteractionState(ctx, here, { step: "totp" }));
    const late = within(realm.name, (ctx) => saveInteractionState(ctx, there, { step: "other" }));
    await expect(late).rejects.toMatchObject({ code: "interactions.moved_on", status: 409 });
    const lateResult = within(realm.name, (ctx) => completeInteraction(ctx, there, { userId: "x" }));
    await expect(lateResult).rejects.toMatchObject({ code: "interactions.moved_on" });
    expect(await read(realm.name, id, "mine")).toMatchObject({ state: { step: "totp" }, result: null, version: 2 });
  });

  test("two steps at once: one moves it, the other gets an error", async () => {
    const realm = await iam.realm();
    const id = await start(realm.name, "mine");
    const seen = await read(realm.name, id, "mine");
    const moves = await Promise.allSettled(
      ["a", "b", "c"].map((step) => within(realm.name, (ctx) => saveInteractionState(ctx, seen, { step }))),
    );
    expect(moves.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("has its result taken once, by its own browser, however many try", async () => {
    const realm = await iam.realm();
    const id = await start(realm.name, "mine");
    const take = (browser: string) => within(realm.name, (ctx) => takeResult(ctx, id, [browser]));
    await expect(take("mine")).rejects.toMatchObject({ code: "interactions.gone" });
    const seen = await read(realm.name, id, "mine");
    await within(realm.name, (ctx) => completeInteraction(ctx, seen, { userId: "u" }));
    await expect(take("theirs")).rejects.toMatchObject({ code: "interactions.gone" });
    const done = await read(realm.name, id, "mine");
    await expect(within(realm.name, (ctx) => completeInteraction(ctx, done, { userId: "v" }))).rejects.toMatchObject({
      code: "interactions.moved_on",
    });

    const taken = await Promise.allSettled(["mine", "mine", "mine", "mine"].map(take));
    const won = taken.filter((each) => each.status === "fulfilled");
    expect(won.map(({ value }) => value.result)).toEqual([{ userId: "u" }]);
  });

  test("an expired result cannot be used", async () => {
    const realm = await iam.realm();
    const id = await start(realm.name, "mine");
    const seen = await read(realm.name, id, "mine");
    await within(realm.name, (ctx) => completeInteraction(ctx, seen, {}));
    clock.advance(31 * MINUTE);
    await expect(within(realm.name, (ctx) => takeResult(ctx, id, ["mine"]))).rejects.toMatchObject({ code: "interactions.gone" });
  });
});

describe("signing in for an interaction", () => {
  const opened = async (realm: string): Promise<{ browser: Browser; id: string; mark: string }> => {
    const browser = iam.browser();
    await browser.get(`/realms/${realm}/login`);
    const mark = browser.cookies.get(`gh__pre_${realm}`)!;
    return { browser, mark, id: await start(realm, mark, "/realms/x/authorize/resume?state=1") };
  };

  test("completes it and continues to its target, whatever the form says", async () => {
    const realm = await iam.realm();
    const { username, password, userId } = await realm.user();
    const { browser, id, mark } = await opened(realm.name);
    const page = await browser.get(`/realms/${realm.name}/login?interaction=${id}`);
    expect(page.text).toContain(id);
    const answer = await browser.trySignIn(realm.name, username, password, { interaction: id, return_to: "/elsewhere" });
    expect([answer.status, answer.headers.location]).toEqual([303, "/realms/x/authorize/resume?state=1"]);
    const [session] = (await realm.asMaster().get(`/sessions?search=${userId}`)).body;
    const taken = await within(realm.name, (ctx) => takeResult(ctx, id, [mark]));
    expect(taken.result).toEqual({ userId, sessionId: session.id });
  });

  test("a wrong password leaves it open", async () => {
    const realm = await iam.realm();
    const { browser, id, mark } = await opened(realm.name);
    const wrong = await browser.trySignIn(realm.name, "admin", "wrong", { interaction: id });
    expect(wrong.status).toBe(401);
    expect(wrong.text).toContain(id);
    expect((await read(realm.name, id, mark)).result).toBeNull();
    expect((await browser.trySignIn(realm.name, "admin", realm.adminPassword, { interaction: id })).status).toBe(303);
  });

  test("from another browser, or one that has ended, is refused before the password is checked", async () => {
    const realm = await iam.realm();
    const { browser, id } = await opened(realm.name);
    expect((await iam.browser().get(`/realms/${realm.name}/login?interaction=${id}`)).status).toBe(400);
    expect((await iam.browser().trySignIn(realm.name, "admin", "wrong", { interaction: id })).status).toBe(400);
    expect((await browser.trySignIn(realm.name, "admin", realm.adminPassword, { interaction: newId() })).status).toBe(400);
    clock.advance(31 * MINUTE);
    expect((await browser.trySignIn(realm.name, "admin", realm.adminPassword, { interaction: id })).status).toBe(400);
    clock.reset();
    expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
  });

  test("in a tab that another tab has overtaken continues where that tab went, with its session, and is no attempt", async () => {
    const realm = await iam.realm();
    const { username, password } = await realm.user();
    const { browser, id } = await opened(realm.name);
    expect((await browser.trySignIn(realm.name, "admin", realm.adminPassword, { interaction: id })).status).toBe(303);
    const late = await browser.trySignIn(realm.name, username, password, { interaction: id });
    expect(late.status).toBe(303);
    expect(late.headers["set-cookie"] ?? "").not.toContain(`gh_${realm.name}=`);
    expect((await realm.asMaster().get("/sessions")).body).toMatchObject([{ username: "admin" }]);
    const counters = await iam.core.db.selectFrom("login_attempts").select("failures").where("realm_id", "=", realm.name).execute();
    expect(counters.filter(({ failures }) => failures > 0)).toEqual([]);
    expect(await realm.events("type=LOGIN_FAILURE")).toEqual([]);
  });
});
