import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createUser } from "../../../directory/users/index.ts";
import { clock, MINUTE, SECOND } from "../../../kernel/clock.ts";
import { systemActor } from "../../../platform/context.ts";
import { AUTHN_CONTEXT, BINDING, NAME_ID_FORMAT, STATUS } from "../../../platform/saml/index.ts";
import type { Answer, Browser } from "../../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { identityProvider } from "../../../testing/identity-providers.ts";
import type { RealmUnderTest } from "../../../testing/realm.ts";
import { submit, walk } from "../../../testing/relying-party.ts";
import { type ServiceProvider, serviceProvider } from "../../../testing/service-provider.ts";
import { giveTotp } from "../../../testing/totp.ts";

let iam: SharedHarness;
let base: string;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
  base = iam.config.baseUrl;
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

/** A service provider without options, and a signed-in user, for tests that change neither. */
let known: Promise<{ sp: ServiceProvider; user: { username: string; password: string }; browser: Browser }> | undefined;
const plain = () => {
  known ??= (async () => {
    const realm = await iam.realm();
    const [sp, user, browser] = [await serviceProvider(iam, realm), await realm.user(), iam.browser()];
    await sp.signIn(browser, user);
    return { sp, user, browser };
  })();
  return known;
};
const statusIn = async (sp: ServiceProvider, page: Answer) => {
  const { response, assertion } = await sp.open(page);
  expect(assertion).toBeNull();
  return response.status;
};
const nameIdIn = async (sp: ServiceProvider, { page, sent }: { page: Answer; sent: { id: string } }) =>
  (await sp.accept(page, sent.id)).subject!.nameId!;

describe("IsPassive", () => {
  test("shows nothing: NoPassive without a session, an assertion with one", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const browser = iam.browser();
    const user = await realm.user();
    const asked = await sp.signIn(browser, user, { isPassive: true });
    expect(asked.asked).toBe(false);
    expect(await statusIn(sp, asked.page)).toMatchObject({ code: STATUS.responder, subCode: STATUS.noPassive });
    await sp.signIn(browser, user);
    const silent = await sp.signIn(browser, user, { isPassive: true });
    await sp.accept(silent.page, silent.sent.id);
    const forced = await sp.signIn(browser, user, { isPassive: true, forceAuthn: true });
    expect(await statusIn(sp, forced.page)).toMatchObject({ subCode: STATUS.noPassive });
    expect((await realm.events("type=SAML_LOGIN&outcome=FAILURE")).length, "it is an answer, not a failure").toBe(0);
  });

  test("is refused in any case where the service provider's options say so", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm, { options: { refusePassive: true } });
    const browser = iam.browser();
    const user = await realm.user();
    await sp.signIn(browser, user);
    expect(await statusIn(sp, (await sp.signIn(browser, user, { isPassive: true })).page)).toMatchObject({ subCode: STATUS.noPassive });
  });
});

describe("ForceAuthn", () => {
  test("asks again in a live session, and the assertion has the new time", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const browser = iam.browser();
    const user = await realm.user();
    const first = await sp.signIn(browser, user);
    clock.advance(5 * MINUTE);
    const again = await sp.signIn(browser, user, { forceAuthn: true });
    expect(again.asked).toBe(true);
    const [before] = (await sp.accept(first.page, first.sent.id).catch(() => sp.open(first.page).then(({ assertion }) => assertion!)))
      .authnStatements;
    const [after] = (await sp.accept(again.page, again.sent.id)).authnStatements;
    expect(after!.authnInstant).toBeGreaterThanOrEqual(before!.authnInstant + 5 * MINUTE - SECOND);
    const plain = await sp.signIn(browser, user);
    expect(plain.asked).toBe(false);
  });

  test("a sign-in before the request does not count, one in another tab since then does", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const [ada, bob] = [await realm.user(), await realm.user()];
    const browser = iam.browser();
    await sp.signIn(browser, ada);
    clock.advance(MINUTE);
    const sent = await sp.request({ forceAuthn: true });
    const { page } = await walk(browser, base, sent.url);
    expect(page.text).toContain('name="password"');
    const interaction = /interaction=([\w-]+)/.exec(page.text)?.[1] ?? /name="interaction" value="([^"]+)"/.exec(page.text)![1]!;
    // The sign-in has not answered yet, so the way back is refused.
    const early = await browser.get(`/realms/${realm.name}/saml/idp/continue?interaction=${interaction}`);
    expect([early.status, early.text.includes("SAMLResponse")]).toEqual([400, false]);
    const done = await submit(browser, base, page, { username: bob.username, password: bob.password });
    expect((await sp.accept(done.page, sent.id)).attributes).toContainEqual(expect.objectContaining({ name: "username" }));
  });

  test("is required of every sign-in where the options say so", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm, { options: { alwaysForceAuthn: true } });
    const browser = iam.browser();
    const user = await realm.user();
    await sp.signIn(browser, user);
    clock.advance(SECOND);
    expect((await sp.signIn(browser, user)).asked).toBe(true);
  });
});

describe("RequestedAuthnContext", () => {
  const MFA = "https://refeds.org/profile/mfa";
  const PASSWORD = AUTHN_CONTEXT.passwordProtectedTransport;
  const passwordOnly = {
    displayName: "Sign in",
    steps: [
      { authenticator: "cookie", requirement: "ALTERNATIVE" },
      { authenticator: "username-password", requirement: "ALTERNATIVE" },
    ],
  };
  const asking = (comparison: "exact" | "minimum" | "better" | "maximum", ...classRefs: string[]) => ({
    requestedAuthnContext: { comparison, classRefs, declRefs: [] },
  });
  const classRefIn = async (sp: ServiceProvider, { page, sent }: { page: Answer; sent: { id: string } }) =>
    (await sp.accept(page, sent.id)).authnStatements[0]!.classRef;

  test("is met by one factor: exact, minimum and maximum", async () => {
    const { sp, user, browser } = await plain();
    for (const request of [
      asking("exact", PASSWORD),
      asking("minimum", MFA, PASSWORD),
      asking("maximum", PASSWORD),
      asking("exact", "urn:unknown", AUTHN_CONTEXT.password),
    ])
      expect([PASSWORD, AUTHN_CONTEXT.password]).toContain(await classRefIn(sp, await sp.signIn(browser, user, request)));
  });

  test.each([
    ["of classes that are not known", asking("exact", "urn:unknown")],
    ["better than the best", asking("better", MFA)],
    ["better than what is not known", asking("better", PASSWORD, "urn:unknown")],
    ["of declarations alone", { requestedAuthnContext: { comparison: "exact" as const, classRefs: [], declRefs: ["urn:declared"] } }],
  ])("%s cannot be met: NoAuthnContext", async (_, request) => {
    const { sp, user } = await plain();
    const { page, asked } = await sp.signIn(iam.browser(), user, request);
    expect(asked).toBe(false);
    expect(await statusIn(sp, page)).toMatchObject({ code: STATUS.responder, subCode: STATUS.noAuthnContext });
  });

  test.each([asking("exact", MFA), asking("minimum", MFA), asking("better", PASSWORD)])(
    "has the second factor asked for in a live session: %j",
    async (request) => {
      const realm = await iam.realm();
      await realm.asMaster().put("/flow", passwordOnly);
      const sp = await serviceProvider(iam, realm);
      const user = await realm.user();
      const code = await giveTotp(iam, realm.name, user.userId);
      const browser = iam.browser();
      expect(await classRefIn(sp, await sp.signIn(browser, user))).toBe(PASSWORD);
      const sent = await sp.request(request);
      const { page } = await walk(browser, base, sent.url);
      expect([page.text.includes('name="code"'), page.text.includes('name="password"')]).toEqual([true, false]);
      const done = await submit(browser, base, page, { code: code() });
      expect(await classRefIn(sp, { page: done.page, sent })).toBe(MFA);
      const passive = await sp.signIn(browser, user, { ...request, isPassive: true });
      expect(await classRefIn(sp, passive)).toBe(MFA);
    },
  );

  test("that the user cannot meet is answered with NoAuthnContext when they give up", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/flow", passwordOnly);
    const { body } = await realm.asMaster().get("/flows/step-up");
    const unset = body.steps[0].steps.map((step: object) => ({ ...step, requirement: "DISABLED" }));
    const steps = [{ ...body.steps[0], steps: [...unset, { authenticator: "password", requirement: "ALTERNATIVE" }] }];
    expect((await realm.asMaster().put("/flows/step-up", { displayName: "More", steps })).status).toBe(200);
    const sp = await serviceProvider(iam, realm);
    const user = await realm.user();
    const browser = iam.browser();
    await sp.signIn(browser, user);
    const { page } = await walk(browser, base, (await sp.request(asking("minimum", MFA))).url);
    const stuck = await submit(browser, base, page, { password: user.password });
    const left = await submit(browser, base, stuck.page, { giveUp: "1" });
    expect(await statusIn(sp, left.page)).toMatchObject({ subCode: STATUS.noAuthnContext });
    expect((await realm.events("type=SAML_LOGIN&outcome=FAILURE"))[0]).toMatchObject({ detail: expect.stringMatching(/^authn_context/) });
  });

  test("the service provider's default applies to its requests that name none", async () => {
    const realm = await iam.realm();
    await realm.asMaster().put("/flow", passwordOnly);
    const sp = await serviceProvider(iam, realm, { defaultAuthnContextClassRef: MFA });
    const user = await realm.user();
    const code = await giveTotp(iam, realm.name, user.userId);
    const browser = iam.browser();
    const { page, sent } = await sp.signIn(browser, user);
    expect(page.text).toContain('name="code"');
    expect(await classRefIn(sp, { sent, page: (await submit(browser, base, page, { code: code() })).page })).toBe(MFA);
  });
});

describe("the NameID", () => {
  const policy = (format: string | null, allowCreate: boolean | null = true, spNameQualifier: string | null = null) => ({
    nameIdPolicy: { format, allowCreate, spNameQualifier },
  });
  const withEmail = async (realm: RealmUnderTest, emailVerified: boolean) => {
    const user = await realm.user();
    const { body, headers } = await realm.asMaster().get(`/users/${user.userId}`);
    const put = await realm
      .asMaster()
      .put(
        `/users/${user.userId}`,
        { ...body, email: "Ada@example.com", emailVerified },
        { headers: { "if-match": String(headers.etag) } },
      );
    expect(put.status, put.text).toBe(200);
    return user;
  };

  test("persistent survives a rename, and AllowCreate=false makes none", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const user = await realm.user();
    const browser = iam.browser();
    const none = await sp.signIn(browser, user, policy(NAME_ID_FORMAT.persistent, false));
    expect(await statusIn(sp, none.page)).toMatchObject({ code: STATUS.requester, subCode: STATUS.invalidNameIdPolicy });
    expect((await realm.events("type=SAML_LOGIN"))[0]).toMatchObject({
      outcome: "FAILURE",
      actor: user.username,
      detail: expect.stringMatching(/^name_id_policy/),
    });
    const first = await nameIdIn(sp, await sp.signIn(browser, user, policy(NAME_ID_FORMAT.persistent, null)));
    const { body, headers } = await realm.asMaster().get(`/users/${user.userId}`);
    await realm
      .asMaster()
      .put(`/users/${user.userId}`, { ...body, username: "renamed" }, { headers: { "if-match": String(headers.etag) } });
    const second = await sp.signIn(iam.browser(), { ...user, username: "renamed" }, policy(NAME_ID_FORMAT.persistent, false));
    expect((await nameIdIn(sp, second)).value).toBe(first.value);
    expect(first.value).not.toContain(user.userId);
  });

  test("two first sign-ins at once get the same persistent one", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const other = await serviceProvider(iam, realm, { entityId: "https://other.example" });
    const user = await realm.user();
    const browser = iam.browser();
    await other.signIn(browser, user);
    const sent = await Promise.all(Array.from({ length: 4 }, () => sp.request()));
    const pages = await Promise.all(sent.map(({ url }) => browser.get(url.slice(base.length))));
    const values = await Promise.all(pages.map(async (page, at) => (await nameIdIn(sp, { page, sent: sent[at]! })).value));
    expect(new Set(values).size).toBe(1);
  });

  test("transient is another one for each session and service provider, and the same within", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm, { options: { nameIdFormat: "transient" } });
    const browser = iam.browser();
    const user = await realm.user();
    const [one, two] = [await nameIdIn(sp, await sp.signIn(browser, user)), await nameIdIn(sp, await sp.signIn(browser, user))];
    expect(one.format).toBe(NAME_ID_FORMAT.transient);
    expect(two).toEqual(one);
    const other = await serviceProvider(iam, realm, { entityId: "https://other.example", options: { nameIdFormat: "transient" } });
    const there = await nameIdIn(other, await other.signIn(browser, user));
    const later = await nameIdIn(sp, await sp.signIn(iam.browser(), user));
    expect(new Set([one.value, there.value, later.value]).size).toBe(3);

    const subject = await sp.signIn(browser, user, { subject: one });
    expect([subject.asked, (await nameIdIn(sp, subject)).value], "the user of that session").toEqual([false, one.value]);
    expect((await sp.signIn(browser, user, { subject: later, isPassive: true })).page.text).not.toContain('name="password"');
    const [denied] = await realm.events("type=SAML_LOGIN&outcome=FAILURE");
    expect(denied, "of another session").toMatchObject({ detail: expect.stringMatching(/^unknown_principal/) });
  });

  test("email is a verified address of the user, as NameID and as attribute; an unconfirmed one is neither", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const user = await withEmail(realm, true);
    expect(await nameIdIn(sp, await sp.signIn(iam.browser(), user, policy(NAME_ID_FORMAT.email)))).toMatchObject({
      value: "Ada@example.com",
      format: NAME_ID_FORMAT.email,
    });
    const other = await iam.realm();
    const strict = await serviceProvider(iam, other, { options: { nameIdFormat: "email" } });
    const mail = "Ada@example.com";
    const given = await strict.signIn(iam.browser(), await withEmail(other, false));
    expect(await nameIdIn(strict, given), "an administrator says so").toMatchObject({ value: mail });
    // Users have such an address if they register, or come from a provider that is not trusted for addresses.
    const claimed = { username: "eve", password: "a password for tests" };
    const eve = await iam.core.work.transact({ realm: other.name, actor: systemActor(other.name), sourceIp: null }, (ctx) =>
      createUser(ctx, { username: claimed.username, email: mail, enabled: true }, "unconfirmed"),
    );
    const { status } = await other.asMaster().put(`/users/${eve.userId}/password`, { newPassword: claimed.password });
    expect(status).toBe(204);
    for (const unconfirmed of [claimed, await other.user()])
      expect(await statusIn(strict, (await strict.signIn(iam.browser(), unconfirmed)).page)).toMatchObject({
        subCode: STATUS.invalidNameIdPolicy,
      });
    const loose = await serviceProvider(iam, other, { entityId: "https://loose.example" });
    const attributesFor = async ({ page, sent }: typeof given) => (await loose.accept(page, sent.id)).attributes.map(({ name }) => name);
    expect(await attributesFor(await loose.signIn(iam.browser(), claimed))).not.toContain("email");
    const subject = { value: mail, format: NAME_ID_FORMAT.email, nameQualifier: null, spNameQualifier: null, spProvidedId: null };
    const asked = await loose.signIn(iam.browser(), claimed, { subject });
    expect(await statusIn(loose, asked.page)).toMatchObject({ subCode: STATUS.unknownPrincipal });
  });

  test("persistent is the attribute that the options name, such as the ImmutableID of Microsoft 365", async () => {
    const realm = await iam.realm();
    const options = { nameIdFormat: "persistent", persistentNameIdSource: "immutableId" };
    const sp = await serviceProvider(iam, realm, { options });
    const user = await realm.user();
    expect(await statusIn(sp, (await sp.signIn(iam.browser(), user)).page)).toMatchObject({ subCode: STATUS.invalidNameIdPolicy });
    await realm.asMaster().patch(`/users/${user.userId}`, { attributes: { immutableId: "XKR5vLg2Q0a==" } });
    const nameId = await nameIdIn(sp, await sp.signIn(iam.browser(), user, policy(NAME_ID_FORMAT.persistent, false)));
    expect(nameId).toMatchObject({ value: "XKR5vLg2Q0a==", format: NAME_ID_FORMAT.persistent, nameQualifier: null, spNameQualifier: null });
  });

  test("unspecified is the username, or the attribute that the options name", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm, { options: { nameIdFormat: "unspecified" } });
    const own = await serviceProvider(iam, realm, {
      entityId: "https://own.example",
      options: { nameIdFormat: "unspecified", nameIdSource: "staffId" },
    });
    const user = await realm.user();
    expect((await nameIdIn(sp, await sp.signIn(iam.browser(), user, policy(NAME_ID_FORMAT.unspecified)))).value).toBe(user.username);
    expect(await statusIn(own, (await own.signIn(iam.browser(), user)).page)).toMatchObject({ subCode: STATUS.invalidNameIdPolicy });
    const { body, headers } = await realm.asMaster().get(`/users/${user.userId}`);
    await realm
      .asMaster()
      .put(`/users/${user.userId}`, { ...body, attributes: { staffId: "4711" } }, { headers: { "if-match": String(headers.etag) } });
    expect((await nameIdIn(own, await own.signIn(iam.browser(), user))).value).toBe("4711");
  });

  test.each([
    policy("urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName"),
    policy("urn:oasis:names:tc:SAML:2.0:nameid-format:encrypted"),
    policy("constructor"),
    policy(NAME_ID_FORMAT.persistent, true, "https://affiliation.example"),
  ])("%j is InvalidNameIDPolicy", async (request) => {
    const { sp, user, browser } = await plain();
    const { page } = await sp.signIn(browser, user, request);
    expect(await statusIn(sp, page)).toMatchObject({ subCode: STATUS.invalidNameIdPolicy });
  });
});

describe("a request about one user", () => {
  const about = (value: string, format: string | null = null) => ({
    subject: { value, format, nameQualifier: null, spNameQualifier: null, spProvidedId: null },
  });

  test("is answered for that user alone; for another user it asks to sign in, and then answers UnknownPrincipal", async () => {
    const realm = await iam.realm();
    const sp = await serviceProvider(iam, realm);
    const [ada, bob] = [await realm.user(), await realm.user()];
    const browser = iam.browser();
    const first = await nameIdIn(sp, await sp.signIn(browser, ada));
    for (const request of [about(ada.username), about(first.value, NAME_ID_FORMAT.persistent)]) {
      const same = await sp.signIn(browser, ada, request);
      expect(same.asked).toBe(false);
      await sp.accept(same.page, same.sent.id);
    }
    const passive = await sp.signIn(browser, ada, { ...about(bob.username), isPassive: true });
    expect(await statusIn(sp, passive.page)).toMatchObject({ subCode: STATUS.unknownPrincipal });
    const wrong = await sp.signIn(browser, ada, about(bob.username));
    expect(wrong.asked).toBe(true);
    expect(await statusIn(sp, wrong.page)).toMatchObject({ subCode: STATUS.unknownPrincipal });
    const right = await sp.signIn(browser, bob, about(bob.username));
    await sp.accept(right.page, right.sent.id);
  });
});

test("an IDPList without us is NoSupportedIDP, and an unknown binding UnsupportedBinding", async () => {
  const { sp, user, browser } = await plain();
  const scoping = (...idpEntityIds: string[]) => ({ scoping: { proxyCount: 0, idpEntityIds, requesterIds: ["https://behind.example"] } });
  expect(await statusIn(sp, (await sp.signIn(browser, user, scoping("https://another.example"))).page)).toMatchObject({
    subCode: STATUS.noSupportedIdp,
  });
  const { page, sent } = await sp.signIn(browser, user, scoping("https://another.example", sp.issuer));
  await sp.accept(page, sent.id);
  for (const protocolBinding of [BINDING.redirect, "constructor"]) {
    const { page } = await sp.signIn(browser, user, { protocolBinding });
    expect(await statusIn(sp, page)).toMatchObject({ code: STATUS.requester, subCode: STATUS.unsupportedBinding });
  }
});

test("with ProxyCount 0 no identity provider is offered", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  expect((await realm.asMaster().post("/identity-providers", identityProvider("google"))).status).toBe(201);
  const shown = async (proxyCount: number) => {
    const { url } = await sp.request({ scoping: { proxyCount, idpEntityIds: [], requesterIds: [] } });
    return (await walk(iam.browser(), iam.config.baseUrl, url)).page.text;
  };
  expect(await shown(1)).toContain("/broker/google/login");
  const page = await shown(0);
  expect(page).toContain('name="password"');
  expect(page).not.toContain("/broker/");
});

test("the service provider gets RequestDenied for a user who may not use it", async () => {
  const realm = await iam.realm();
  await realm.asMaster().post("/roles", { name: "staff" });
  const sp = await serviceProvider(iam, realm, { options: { allowedRoles: ["staff"] } });
  const user = await realm.user();
  const browser = iam.browser();
  expect(await statusIn(sp, (await sp.signIn(browser, user)).page)).toMatchObject({
    code: STATUS.responder,
    subCode: STATUS.requestDenied,
  });
  expect((await realm.events("type=SAML_LOGIN"))[0]).toMatchObject({ outcome: "FAILURE", detail: expect.stringMatching(/^access_denied/) });
  await realm.asMaster().post(`/users/${user.userId}/roles`, { name: "staff" });
  const { page, sent } = await sp.signIn(browser, user);
  await sp.accept(page, sent.id);
});

test("the session knows its service providers, and one that has ended gives no assertion", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  const browser = iam.browser();
  const user = await realm.user();
  const first = await sp.signIn(browser, user);
  const { subject, authnStatements } = await sp.accept(first.page, first.sent.id);
  const [row] = await iam.core.db.selectFrom("session_participants").selectAll().where("realm_id", "=", realm.name).execute();
  expect(row).toMatchObject({
    ...{ protocol: "saml", client_id: sp.entityId },
    participant: {
      sessionIndex: authnStatements[0]!.sessionIndex,
      nameId: { value: subject!.nameId!.value, format: NAME_ID_FORMAT.persistent },
    },
  });
  await realm.asMaster().delete(`/users/${user.userId}/sessions`);
  expect((await sp.signIn(browser, user)).asked).toBe(true);
});

test("an erased user leaves no NameID behind", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  const user = await realm.user();
  await sp.signIn(iam.browser(), user);
  const rows = () => iam.core.db.selectFrom("saml_name_ids").selectAll().where("realm_id", "=", realm.name).execute();
  expect(await rows()).toHaveLength(1);
  await realm.asMaster().delete(`/users/${user.userId}/gdpr`);
  expect(await rows()).toEqual([]);
});
