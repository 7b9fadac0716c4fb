// The OpenID Foundation's certification plans RP-Initiated Logout OP and Back-Channel Logout OP.
// Each test has the name of the suite's module that it stands for: see docs/conformance.md.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeProtectedHeader, jwtVerify, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { clock, SECOND } from "../../kernel/clock.ts";
import type { Answer, Browser } from "../../testing/browser.ts";
import {
  type Completed,
  type ConformanceClient,
  clientKey,
  type Issuer,
  openIssuer,
  registerClient,
} from "../../testing/conformance-client.ts";
import { type Harness, harness } from "../../testing/harness.ts";
import { submit, walk } from "../../testing/relying-party.ts";

const BASE = "https://op.example";
const AFTER = "https://suite.example/test/a/gatehouse/post_logout_redirect";
const STATE = "s".repeat(128);
let iam: Harness;
let op: Issuer;
let peer: Server;
const heard: { type: string | undefined; form: URLSearchParams }[] = [];

beforeAll(async () => {
  // In development mode, a client on this machine may be notified without TLS.
  iam = await harness({ GATEHOUSE_BASE_URL: BASE, GATEHOUSE_MODE: "development" });
  await iam.server.jobs.stop();
  op = await openIssuer(iam.server.app, await iam.realm(), BASE);
  peer = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    heard.push({ type: request.headers["content-type"], form: new URLSearchParams(body) });
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => peer.listen(0, "127.0.0.1", resolve));
});
afterEach(() => clock.reset());
afterAll(async () => {
  peer?.close();
  await iam?.close();
});

test.each(["oidcc-rp-initiated-logout-discovery-endpoint-verification", "oidcc-backchannel-logout-discovery-endpoint-verification"])(
  "%s",
  () => {
    expect(op.metadata).toMatchObject({
      end_session_endpoint: expect.stringMatching(/^https:\/\/op\.example\//),
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
  },
);

describe("RP-Initiated Logout OP", () => {
  let client: ConformanceClient;
  let browser: Browser;
  let signedIn: Completed;
  beforeEach(async () => {
    client ??= await registerClient(op, { post_logout_redirect_uris: [AFTER] });
    browser = op.browser();
    signedIn = await client.complete(browser);
  });

  const end = (params: Record<string, string>) =>
    walk(browser, BASE, `${op.path(op.metadata.end_session_endpoint)}?${new URLSearchParams(params)}`);
  const request = () => ({ id_token_hint: signedIn.tokens.id_token as string, post_logout_redirect_uri: AFTER, state: STATE });
  const isSignedOut = async () => (await client.authorize(browser, { prompt: "none", state: "later" })).get("error") === "login_required";

  test("oidcc-rp-initiated-logout: back at once, with the state and nothing else", async () => {
    const { left } = await end(request());
    expect(left?.href).toBe(`${AFTER}?state=${STATE}`);
    expect(await isSignedOut()).toBe(true);
  });

  test("oidcc-rp-initiated-logout-no-state", async () => {
    const { state: _, ...params } = request();
    expect((await end(params)).left?.href).toBe(AFTER);
    expect(await isSignedOut()).toBe(true);
  });

  test("oidcc-rp-initiated-logout-no-post-logout-redirect-uri: signed out, and a page says so", async () => {
    const { post_logout_redirect_uri: _, ...params } = request();
    const { page, left } = await end(params);
    expect([left, page.status]).toEqual([null, 200]);
    expect(page.text).toContain("You are signed out");
    expect(await isSignedOut()).toBe(true);
  });

  /** Expects a page that does not redirect. */
  function expectPage({ page, left }: { page: Answer; left: URL | null }, status: number): void {
    expect([left, page.status], left?.href).toEqual([null, status]);
    expect(page.text).not.toContain(AFTER);
  }

  test.each([
    ["oidcc-rp-initiated-logout-no-params", () => ({})],
    ["oidcc-rp-initiated-logout-only-state", () => ({ state: STATE })],
    ["oidcc-rp-initiated-logout-no-id-token-hint", () => ({ post_logout_redirect_uri: AFTER, state: STATE })],
  ] as const)("%s: the user is asked, signed out on consent, and sees a confirmation", async (_module, params) => {
    const requested = await end(params() as Record<string, string>);
    expectPage(requested, 200);
    expect(await isSignedOut(), "not yet confirmed").toBe(false);
    const done = await submit(browser, BASE, requested.page, {});
    expectPage(done, 200);
    expect(done.page.text).toContain("You are signed out");
    expect(await isSignedOut()).toBe(true);
  });

  test.each([
    ["oidcc-rp-initiated-logout-bad-post-logout-redirect-uri", "https://suite.example/test/a/gatehouse/other"],
    ["oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri", `${AFTER}?foo=bar`],
  ])("%s: an error, and the session stays", async (_module, post_logout_redirect_uri) => {
    expectPage(await end({ ...request(), post_logout_redirect_uri }), 400);
    expect(await isSignedOut()).toBe(false);
  });

  const forged: Record<string, () => Promise<string>> = {
    "oidcc-rp-initiated-logout-modified-id-token-hint": async () => new UnsecuredJWT(signedIn.idToken).encode(),
    "oidcc-rp-initiated-logout-bad-id-token-hint": async () => {
      const { privateKey } = await clientKey();
      const { kid } = decodeProtectedHeader(signedIn.tokens.id_token);
      return new SignJWT(signedIn.idToken).setProtectedHeader({ alg: "RS256", kid: kid! }).sign(privateKey);
    },
    "an access token in place of the hint": async () => signedIn.tokens.access_token,
    "rubbish in place of the hint": async () => "rubbish",
  };
  test.each(Object.keys(forged))("%s: an error, and the session stays", async (module) => {
    expectPage(await end({ ...request(), id_token_hint: await forged[module]!() }), 400);
    expect(await isSignedOut()).toBe(false);
  });

  test("a hint that cannot be verified counts as none beside a client_id: the user is asked", async () => {
    const { client_id } = client.metadata;
    for (const [name, forge] of Object.entries(forged)) {
      const { page, left } = await end({ ...request(), id_token_hint: await forge(), client_id });
      expect([left, page.status], name).toEqual([null, 200]);
      expect(await isSignedOut(), name).toBe(false);
    }
    expectPage(await end({ ...request(), client_id: "account-console" }), 400);
    const { page } = await end({ ...request(), id_token_hint: "rubbish", client_id });
    const done = await submit(browser, BASE, page, {});
    expect(done.left?.href).toBe(`${AFTER}?state=${STATE}`);
    expect(await isSignedOut()).toBe(true);
  });

  test("an expired hint is accepted", async () => {
    clock.advance(3 * 3600 * SECOND);
    expect((await end(request())).left?.href).toBe(`${AFTER}?state=${STATE}`);
  });
});

describe("Back-Channel Logout OP", () => {
  test("oidcc-backchannel-rp-initiated-logout: the client hears of it by itself, once, for this session", async () => {
    const address = `http://127.0.0.1:${(peer.address() as AddressInfo).port}/backchannel_logout`;
    // The suite registers a public name. Our address is on this machine, so only an administrator may set it.
    const client = await registerClient(op, { post_logout_redirect_uris: [AFTER], backchannel_logout_session_required: true });
    const [known] = (await op.realm.asMaster().get(`/clients?search=${client.metadata.client_id}`)).body;
    const changed = await op.realm.asMaster().put(`/clients/${known.id}`, { ...known, backchannelLogoutUri: address });
    expect(changed.status, changed.text).toBe(200);

    const [browser, elsewhere] = [op.browser(), op.browser()];
    const { tokens, idToken } = await client.complete(browser);
    await client.complete(elsewhere);
    heard.length = 0;
    const params = { id_token_hint: tokens.id_token, post_logout_redirect_uri: AFTER, state: STATE };
    const { left } = await walk(browser, BASE, `${op.path(op.metadata.end_session_endpoint)}?${new URLSearchParams(params)}`);
    expect(left?.searchParams.get("state")).toBe(STATE);
    await iam.server.jobs.runDue();

    expect(heard).toHaveLength(1);
    const [{ type, form }] = heard as [(typeof heard)[number]];
    expect(type).toBe("application/x-www-form-urlencoded");
    expect([...form.keys()]).toEqual(["logout_token"]);
    const options = {
      issuer: op.metadata.issuer,
      audience: client.metadata.client_id,
      typ: "logout+jwt",
      requiredClaims: ["iat", "exp", "jti"],
    };
    const { payload, protectedHeader } = await jwtVerify(form.get("logout_token")!, await op.keys(), options);
    expect(protectedHeader.alg).toBe("RS256");
    expect([payload.sub, payload.sid, payload.nonce]).toEqual([idToken.sub, idToken.sid, undefined]);
    expect(payload.events).toEqual({ "http://schemas.openid.net/event/backchannel-logout": {} });

    expect((await client.authorize(browser, { prompt: "none" })).get("error")).toBe("login_required");
    expect((await client.authorize(elsewhere, { prompt: "none" })).get("error"), "another session").toBeNull();
  });
});
