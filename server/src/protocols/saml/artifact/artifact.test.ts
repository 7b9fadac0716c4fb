import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, MINUTE, SECOND } from "../../../kernel/clock.ts";
import {
  artifactResolveElement,
  BINDING,
  checkSignIn,
  newArtifact,
  newMessageId,
  openArtifactResponse,
  openResponse,
  readSoap,
  STATUS,
  signed,
  soapEnvelope,
} from "../../../platform/saml/index.ts";
import { Browser } from "../../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { onPostgres } from "../../../testing/on-postgres.ts";
import { rs256 } from "../../../testing/saml-messages.ts";
import { haveSchemas, type Identity, makeIdentity, schemaComplaints } from "../../../testing/saml-peers.ts";
import { ACS, type ServiceProvider, serviceProvider } from "../../../testing/service-provider.ts";

let iam: SharedHarness;
let identity: Identity;
let other: Identity;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop();
  [identity, other] = [await makeIdentity(), await makeIdentity()];
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

const byArtifact = { protocolBinding: BINDING.artifact };

const resolve = async (
  sp: ServiceProvider,
  artifact: string,
  {
    issuer = sp.entityId,
    key = sp.identity,
    destination = `${sp.issuer}/saml/idp/artifact`,
  }: { issuer?: string; key?: Identity | undefined; destination?: string } = {},
) => {
  const id = newMessageId();
  const element = artifactResolveElement({ id, issueInstant: clock.now(), issuer, destination, artifact });
  const answer = await iam.browser().request("POST", `/realms/${sp.realm.name}/saml/idp/artifact`, {
    headers: { "content-type": "text/xml; charset=utf-8" },
    body: soapEnvelope(key ? await signed(element, rs256(key)) : element),
    csrf: false,
  });
  if (answer.status !== 200) return { answer, message: null, id };
  const keys = await sp.keysOfRealm();
  const { message, signed: isSigned } = openArtifactResponse(readSoap(Buffer.from(answer.text)), { keys, required: true });
  expect([isSigned, message.inResponseTo, message.status.code]).toEqual([true, id, STATUS.success]);
  return { answer, message, id };
};

const artifactIn = (left: URL | null) => left?.searchParams.get("SAMLart") ?? "";

test.each(["without a key", "with a key"])("an artifact is resolved to the response, once, by a service provider %s", async (kind) => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, kind === "with a key" ? { identity } : {});
  const { left, sent } = await sp.signIn(iam.browser(), await realm.user(), { ...byArtifact, relayState: "back" });
  expect(`${left?.origin}${left?.pathname}`).toBe(ACS);
  expect(left?.searchParams.get("RelayState")).toBe("back");
  const { answer, message } = await resolve(sp, artifactIn(left));
  const opened = await openResponse(message!.content!, { keys: await sp.keysOfRealm() });
  expect(opened).toMatchObject({ responseSigned: true, assertionSigned: true });
  checkSignIn(opened, { now: clock.now(), issuer: sp.issuer, audience: sp.entityId, recipient: ACS, inResponseTo: sent.id });
  if (haveSchemas()) expect(schemaComplaints(answer.text)).toBeNull();
  expect((await resolve(sp, artifactIn(left))).message?.content).toBeNull();
});

test("only one of many concurrent requests gets it", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  const { left } = await sp.signIn(iam.browser(), await realm.user(), byArtifact);
  const answers = await Promise.all(Array.from({ length: 5 }, () => resolve(sp, artifactIn(left))));
  expect(answers.filter(({ message }) => message?.content).length).toBe(1);
});

test("it lasts a minute, and is sealed meanwhile", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  const user = await realm.user();
  const { left } = await sp.signIn(iam.browser(), user, byArtifact);
  const rows = await iam.core.db
    .selectFrom("oidc_records")
    .selectAll()
    .where("realm_id", "=", realm.name)
    .where("model", "=", "SamlArtifact")
    .execute();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(user.username);
  expect(JSON.stringify(rows)).not.toContain(artifactIn(left));
  clock.advance(MINUTE + 1);
  expect((await resolve(sp, artifactIn(left))).message?.content).toBeNull();
});

test("another service provider gets nothing, and does not consume it", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  const thief = await serviceProvider(iam, realm, { entityId: "https://thief.example", identity: other });
  const { left } = await sp.signIn(iam.browser(), await realm.user(), byArtifact);
  expect((await resolve(thief, artifactIn(left))).message?.content).toBeNull();
  expect((await resolve(sp, artifactIn(left))).message?.content).not.toBeNull();
});

onPostgres("a message in the name of a service provider that has a key is refused without its signature", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm, { identity });
  const { left } = await sp.signIn(iam.browser(), await realm.user(), byArtifact);
  for (const [forged, reason] of [
    [{ key: undefined }, "signature_missing"],
    [{ key: other }, "signature_invalid"],
    [{ issuer: "https://unknown.example" }, "unknown_client"],
    [{ destination: "https://elsewhere.example" }, "destination"],
  ] as const) {
    const unsigned = "key" in forged && forged.key === undefined ? { ...sp, identity: undefined } : sp;
    const { answer } = await resolve(unsigned, artifactIn(left), forged as never);
    expect([answer.status, answer.text.includes("Fault")]).toEqual([400, true]);
    if (haveSchemas()) expect(schemaComplaints(answer.text)).toBeNull();
    expect((await realm.events("type=SAML_LOGIN"))[0]).toMatchObject({
      outcome: "FAILURE",
      detail: expect.stringMatching(new RegExp(`^${reason}`)),
    });
  }
  expect((await resolve(sp, artifactIn(left))).message?.content).not.toBeNull();
});

onPostgres("an unknown artifact gets an empty answer, and what is no SOAP a fault", async () => {
  const realm = await iam.realm();
  const sp = await serviceProvider(iam, realm);
  for (const artifact of [newArtifact("https://another.example", 0), newArtifact(sp.issuer, 0), newArtifact(sp.issuer, 1)])
    expect((await resolve(sp, artifact)).message?.content).toBeNull();
  expect((await resolve(sp, "AAAA")).answer.status).toBe(400);
  for (const body of ["", "<x/>", "{}", `<!DOCTYPE x []><x/>`]) {
    const answer = await iam
      .browser()
      .request("POST", `/realms/${realm.name}/saml/idp/artifact`, { headers: { "content-type": "text/xml" }, body, csrf: false });
    expect([answer.status, answer.headers["content-type"]]).toEqual([400, "text/xml; charset=utf-8"]);
  }
});

onPostgres("messages over SOAP are limited for each address and realm, by the realm's settings", async () => {
  const realm = await iam.realm();
  await realm.asMaster().patch("/settings", { rateLimits: { samlMessages: 10 } });
  const sp = await serviceProvider(iam, realm);
  const elsewhere = await serviceProvider(iam, await iam.realm());
  const soap = (at: ServiceProvider, endpoint: "artifact" | "slo") =>
    new Browser(iam.server.app, "192.0.2.9").request("POST", `/realms/${at.realm.name}/saml/idp/${endpoint}`, {
      ...{ headers: { "content-type": "text/xml" }, body: "<x/>", csrf: false },
    });
  const statuses = [];
  for (let sent = 0; sent < 20; sent++) statuses.push((await soap(sp, sent % 2 === 0 ? "artifact" : "slo")).status);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(400));
  expect(statuses).toContain(429);
  // No place is regained during the test. Setting the clock back further would reset the limit.
  clock.advance(-4 * SECOND);
  for (const endpoint of ["artifact", "slo"] as const) {
    const refused = await soap(sp, endpoint);
    expect([refused.status, refused.headers["ratelimit-policy"]], endpoint).toEqual([429, '"samlMessages";q=10;w=60']);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  }
  expect((await soap(elsewhere, "artifact")).status, "in another realm").toBe(400);
  expect((await resolve(sp, newArtifact(sp.issuer, 0))).answer.status, "from another address").toBe(200);
  clock.advance(2 * MINUTE);
  expect((await soap(sp, "artifact")).status).toBe(400);
});
