// An OpenID provider that others made, as it is, on https with a certificate of a private authority.
import { createPrivateKey, createPublicKey } from "node:crypto";
import { request as send } from "node:https";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startOpenidProvider } from "../../../test/peers/openid-provider.mjs";
import { createApp, type Server } from "../../app.ts";
import { clock } from "../../kernel/clock.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { type Answer, Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { KEY } from "../../testing/identity-providers.ts";
import { type PrivateAuthority, privateAuthority } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { hopOf } from "../../testing/service-provider.ts";
import { isSignedIn } from "../../testing/step-pages.ts";

const HOST = "op.example";
const ADA = { email: "ada@example.com", email_verified: true, given_name: "Ada", family_name: "Lovelace", preferred_username: "ada" };

let iam: SharedHarness;
let server: Server;
let authority: PrivateAuthority;
let op: Awaited<ReturnType<typeof startOpenidProvider>>;
/** Two realms that are clients of it: with a secret and RS256, and with its own key and ES256. */
let one: RealmUnderTest;
let two: RealmUnderTest;

const pathOf = ({ name }: RealmUnderTest) => `/realms/${name}/broker/corp`;

beforeAll(async () => {
  [iam, authority] = await Promise.all([sharedHarness(), privateAuthority()]);
  [one, two] = [await iam.realm(), await iam.realm()];
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const outbound = createOutbound({ allowedHosts: [HOST], allowLoopbackHttp: false, ca: authority.ca, resolve });
  server = await createApp({ ...iam.core, metrics: createMetrics() }, { outbound });
  const { baseUrl } = iam.config;
  const client = (realm: RealmUnderTest) => ({
    client_id: realm.name,
    redirect_uris: [`${baseUrl}${pathOf(realm)}/endpoint`],
    post_logout_redirect_uris: [`${baseUrl}${pathOf(realm)}/endpoint/logout_response`],
    backchannel_logout_uri: `${baseUrl}${pathOf(realm)}/backchannel-logout`,
    backchannel_logout_session_required: true,
  });
  const jwk = { ...createPublicKey(createPrivateKey(KEY)).export({ format: "jwk" }), kid: "of-realm-two", use: "sig" };
  op = await startOpenidProvider({
    ...{ host: HOST, identity: await authority.identity(HOST), people: { "ada-1": ADA } },
    clients: [
      { ...client(one), client_secret: "a secret of realm one", token_endpoint_auth_method: "client_secret_post" },
      {
        ...client(two),
        token_endpoint_auth_method: "private_key_jwt",
        ...{ jwks: { keys: [jwk] }, id_token_signed_response_alg: "ES256", token_endpoint_auth_signing_alg: "ES256" },
      },
    ],
    reach: await server.app.listen({ host: "127.0.0.1", port: 0 }),
  });
  const provided = async (realm: RealmUnderTest, config: Record<string, unknown>) => {
    const body = { alias: "corp", protocol: "oidc", displayName: "Corporate" };
    const shared = { issuer: op.issuer, clientId: realm.name, trustEmail: true };
    const created = await realm.asMaster().post("/identity-providers", { ...body, config: { ...shared, ...config } });
    expect(created.status, created.text).toBe(201);
  };
  await provided(one, { clientSecret: "a secret of realm one" });
  await provided(two, { privateKey: KEY, keyId: "of-realm-two", signedResponseAlg: "ES256" });
});
afterEach(() => clock.reset());
afterAll(async () => {
  await server?.close();
  await op?.close();
  await iam?.close();
});

/** A browser at both: ours, and with its cookies at the provider. */
class Traveller {
  readonly here = new Browser(server.app);
  readonly #there = new Map<string, string>();

  /** At the provider. */
  async request(url: URL, form?: Record<string, string>): Promise<Answer> {
    const cookie = [...this.#there].map((pair) => pair.join("=")).join("; ");
    const headers = { host: url.host, cookie, ...(form && { "content-type": "application/x-www-form-urlencoded" }) };
    const place = { host: "127.0.0.1", port: op.port, servername: HOST, ca: authority.ca, agent: false as const };
    const outgoing = send({ ...place, path: url.pathname + url.search, method: form ? "POST" : "GET", headers });
    return new Promise((resolve, reject) => {
      outgoing.on("error", reject).on("response", (incoming) => {
        for (const line of incoming.headers["set-cookie"] ?? []) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
          if (value === "") this.#there.delete(name);
          else this.#there.set(name, value);
        }
        text(incoming).then((body) => resolve({ status: incoming.statusCode!, headers: incoming.headers, text: body, body: null }), reject);
      });
      outgoing.end(form && new URLSearchParams(form).toString());
    });
  }

  /** Follows the provider's redirections, and signs in where it asks; ends with the address that leads back here. */
  async through(left: URL, login: Record<string, string>): Promise<{ asked: boolean; back: string }> {
    let asked = false;
    for (let url = left, form: Record<string, string> | undefined, hops = 0; hops < 10; hops++) {
      const answer = await this.request(url, form);
      form = undefined;
      if (answer.status === 200) {
        const xsrf = /name="xsrf" value="(\w+)"/.exec(answer.text)?.[1];
        asked = true;
        form = xsrf === undefined ? login : { xsrf, logout: "yes" };
        if (xsrf !== undefined) url = new URL(/action="([^"]+)"/.exec(answer.text)![1]!, url);
        continue;
      }
      expect([302, 303], `${answer.text}\n${op.log()}`).toContain(answer.status);
      url = new URL(String(answer.headers.location), url);
      if (url.origin === iam.config.baseUrl) return { asked, back: url.pathname + url.search };
    }
    throw new Error("too many redirections");
  }

  async signIn(realm: RealmUnderTest, login: Record<string, string> = { login: "ada-1" }) {
    const left = await this.here.get(`${pathOf(realm)}/login`);
    expect(left.status, left.text).toBe(303);
    const { asked, back } = await this.through(new URL(String(left.headers.location)), login);
    const answer = await this.here.get(back);
    return { asked, answer, isIn: isSignedIn(answer, realm.name) };
  }

  isIn = async ({ name }: RealmUnderTest) => (await this.here.get(`/realms/${name}/account/profile`)).status === 200;
}

const usersOf = async (realm: RealmUnderTest) =>
  (await realm.asMaster().get("/users")).body.filter(({ username }: { username: string }) => username !== "admin");

test("signs in, by a secret and by a key of the realm's own: as a new user who is linked, and then as the same", async () => {
  const admin = one.asMaster().browser.elsewhere(server.app);
  const tested = await admin.post(`/admin/realms/${one.name}/identity-providers/corp/test`);
  expect([tested.status, tested.body.ok], tested.text).toEqual([200, true]);
  for (const realm of [one, two]) {
    const first = await new Traveller().signIn(realm);
    expect([first.asked, first.isIn], first.answer.text).toEqual([true, true]);
    const [user] = await usersOf(realm);
    const names = { username: "ada", email: "ada@example.com", emailVerified: true };
    expect(user).toMatchObject({ ...names, attributes: { firstName: "Ada", lastName: "Lovelace" } });
    const exported = (await realm.asMaster().get(`/users/${user.userId}/gdpr/export`)).body;
    expect(exported.federatedLinks).toMatchObject([{ alias: "corp", subject: "ada-1" }]);
    expect(await realm.events("type=BROKER_LOGIN")).toMatchObject([{ outcome: "SUCCESS", detail: "corp" }]);
    expect((await new Traveller().signIn(realm)).isIn).toBe(true);
    expect(await usersOf(realm)).toMatchObject([{ userId: user.userId }]);
  }
});

test("a session there is enough, and a sign-in that was cancelled there leads back to the choice", async () => {
  const ada = new Traveller();
  expect((await ada.signIn(one)).asked).toBe(true);
  expect(await ada.signIn(two)).toMatchObject({ asked: false, isIn: true });
  const { answer, isIn } = await new Traveller().signIn(one, {});
  expect([isIn, answer.status, answer.text]).toEqual([false, 200, expect.stringContaining("You cancelled signing in there")]);
});

test("new keys there are read where a token names one that is not known, at once", async () => {
  expect((await new Traveller().signIn(one)).isIn).toBe(true);
  await op.rotate();
  for (const realm of [one, two]) {
    const { isIn, answer } = await new Traveller().signIn(realm);
    expect(isIn, answer.text).toBe(true);
  }
});

test("a logout here goes on there, ends the session there, and by its logout tokens those of other clients", async () => {
  const [ada, elsewhere] = [new Traveller(), new Traveller()];
  for (const realm of [one, two]) expect((await ada.signIn(realm)).isIn).toBe(true);
  expect((await elsewhere.signIn(two)).isIn).toBe(true);
  const at = `/realms/${one.name}/logout`;
  await ada.here.get(at);
  const gone = await ada.here.request("POST", at, { form: { _csrf: ada.here.cookies.get("XSRF-TOKEN")! }, csrf: false });
  expect([gone.status, await ada.isIn(one), await ada.isIn(two)]).toEqual([303, false, true]);
  const { location } = hopOf(await ada.here.get(String(gone.headers.location)))!;
  expect(location.startsWith(`${op.issuer}/session/end?`), location).toBe(true);
  const { asked, back } = await ada.through(new URL(location), {});
  expect(asked, "it asks whether to sign out").toBe(true);
  expect(back).toMatch(new RegExp(`^${pathOf(one)}/endpoint/logout_response\\?state=`));
  expect((await ada.here.get(back)).headers.location).toBe(`/realms/${one.name}/login?signed_out=1`);
  expect(await ada.isIn(two), `by a logout token\n${op.log()}`).toBe(false);
  expect(await elsewhere.isIn(two), "another session there").toBe(true);
  expect((await ada.signIn(one)).asked).toBe(true);
});
