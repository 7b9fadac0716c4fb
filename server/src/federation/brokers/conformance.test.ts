import { afterAll, beforeAll, expect, test } from "vitest";
import { NAME_ID_FORMAT } from "../../platform/saml/index.ts";
import { type BrokerStage, brokerConformance, type Left, type Return, type TheirAccount } from "../../testing/broker-conformance.ts";
import { Browser } from "../../testing/browser.ts";
import {
  type EherkenningPeer,
  type EidAnswer,
  type EidasPeer,
  eherkenningPeer,
  eidasPeer,
  NATURAL,
  person,
  readRequest,
} from "../../testing/eid-peers.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { leastConfig } from "../../testing/identity-providers.ts";
import { type OpenidPeer, openidPeer, type PeerAnswer } from "../../testing/openid-peer.ts";
import { type SamlPeer, type SamlPeerAnswer, samlPeer } from "../../testing/saml-identity-provider.ts";
import { rs256 } from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import { isSignedIn } from "../../testing/step-pages.ts";
import type { ProtocolName } from "../providers/protocols.ts";

let iam: SharedHarness;
let peer: OpenidPeer;
let idp: SamlPeer;
let hm: EherkenningPeer;
let node: EidasPeer;
let other: Identity;
beforeAll(async () => {
  [iam, peer, idp, hm, node, other] = await Promise.all([
    sharedHarness({ GATEHOUSE_MODE: "development" }),
    ...([openidPeer(), samlPeer(), eherkenningPeer(), eidasPeer(), makeIdentity()] as const),
  ]);
});
afterAll(async () => {
  await Promise.all([peer?.close(), idp?.close(), hm?.close()]);
  await iam?.close();
});

const TENANT = "9b3f2c1e-5d6a-4f70-8a91-2b3c4d5e6f70";
const PATHS = { authorizationUrl: "/authorize", tokenUrl: "/token", jwksUrl: "/jwks", userinfoUrl: "/userinfo", issuer: "" };
const placed = (...members: (keyof typeof PATHS)[]) =>
  Object.fromEntries(members.map((member) => [member, `${peer.issuer}${PATHS[member]}`]));
const everywhere = () => placed("issuer", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl");

const names = { given_name: "A\u202eda", family_name: "Love\u200blace" };
const claimsOf = ({ subject, email, username }: TheirAccount) => ({
  claims: { ...names, sub: subject, email, email_verified: true, preferred_username: username },
});
const profileOf = (pages: PeerAnswer["pages"]): PeerAnswer => ({ hasIdToken: false, pages: pages! });

interface Kind {
  config?(): Record<string, unknown>;
  answer?(account: TheirAccount): PeerAnswer;
  readonly by?: "form";
  /** Its answer does not name the issuer. */
  readonly isSilent?: boolean;
}

/** The peculiarities of each kind of OpenID Connect and OAuth 2. */
const kinds: Record<Exclude<ProtocolName, keyof typeof samlStages | "ldap" | "ad">, Kind> = {
  oidc: { config: () => placed("issuer") },
  gitlab: { config: () => placed("issuer") },
  google: {},
  linkedin: {},
  apple: {
    ...{ by: "form", config: () => placed("issuer", "authorizationUrl", "tokenUrl", "jwksUrl") },
    answer: (account) => ({ claims: { ...claimsOf(account).claims, aud: "com.example.gatehouse" } }),
  },
  microsoft: {
    isSilent: true,
    config: () => ({ ...placed("authorizationUrl", "tokenUrl", "jwksUrl"), issuer: `${peer.issuer}/{tenant}/v2.0` }),
    answer: (account) => ({
      claims: { ...claimsOf(account).claims, iss: `${peer.issuer}/${TENANT}/v2.0`, tid: TENANT, oid: account.subject },
    }),
  },
  oauth2: {
    config: () => placed("authorizationUrl", "tokenUrl", "userinfoUrl"),
    answer: ({ subject, email }) => profileOf({ "/userinfo": { sub: subject, email, ...names } }),
  },
  github: {
    config: () => ({ ...placed("authorizationUrl", "tokenUrl"), userinfoUrl: `${peer.issuer}/user` }),
    answer: ({ subject, email, username }) =>
      profileOf({ "/user": { id: Number(subject), login: username }, "/user/emails": [{ email, primary: true, verified: true }] }),
  },
  discord: {
    config: () => ({ ...placed("authorizationUrl", "tokenUrl"), userinfoUrl: `${peer.issuer}/me` }),
    answer: ({ subject, email, username }) =>
      profileOf({ "/me": { id: subject, email, verified: true, username, global_name: names.given_name, family_name: names.family_name } }),
  },
  facebook: {
    config: () => ({ ...placed("authorizationUrl", "tokenUrl"), userinfoUrl: `${peer.issuer}/me?fields=id` }),
    answer: ({ subject, email }) =>
      profileOf({ "/me": { id: subject, email, first_name: names.given_name, last_name: names.family_name } }),
  },
};

/** The schemes that speak SAML, each with its own form of the account. */
const samlStages = {
  saml: {
    config: () => idp.config,
    answer: (left, account) => posted(left, account),
    wrong: (left, account) => posted(left, account, { protection: { key: rs256(other) } }),
  },
  eherkenning: {
    config: () => hm.config,
    answer: (left, account) => byArtifact(left, account),
    wrong: (left, account) => byArtifact(left, account, { signing: { identity: other, by: "pkcs1" } }),
  },
  eidas: {
    config: () => node.config,
    answer: (left, account) => byNode(left, account),
    wrong: (left, account) => byNode(left, account, { signing: { identity: other, by: "pss" } }),
  },
} satisfies Partial<Record<ProtocolName, BrokerStage>>;

async function posted(left: Left, { subject, email, username }: TheirAccount, answer: SamlPeerAnswer = {}): Promise<Return> {
  const claims = { email, username, firstName: names.given_name, lastName: names.family_name };
  const attributes = Object.entries(claims).map(([name, value]) => ({ name, values: [value] }));
  const nameId = { value: subject, format: NAME_ID_FORMAT.persistent };
  return { by: "form", members: await idp.answer(await idp.read(left), { assertion: { nameId, attributes }, ...answer }) };
}
function byArtifact(left: Left, { subject, email }: TheirAccount, answer: EidAnswer = {}): Return {
  const attributes = hm.attributes({ kvk: subject, email });
  return { by: "query", members: hm.artifact(readRequest(left), { attributes, ...answer }) };
}
function byNode(left: Left, { subject }: TheirAccount, answer: EidAnswer = {}): Return {
  const attributes = [person("PersonIdentifier", `ES/NL/${subject}`), ...NATURAL.slice(1)];
  return { by: "form", members: node.respond(readRequest(left), { attributes, ...answer }) };
}

for (const [protocol, kind] of Object.entries(kinds) as [ProtocolName, Kind][]) {
  const back = (left: Left, answer: PeerAnswer) => {
    const { iss, ...members } = peer.signIn(left as URL, answer) as { iss: string } & Record<string, string>;
    return { by: kind.by ?? "query", members: { ...members, ...(!kind.isSilent && { iss }) } } as const;
  };
  const answerOf = kind.answer ?? claimsOf;
  const stage: BrokerStage = {
    config: () => ({ ...leastConfig[protocol], ...(kind.config ?? everywhere)() }),
    answer: (left, account) => back(left, answerOf(account)),
    wrong: (left, account) => back(left, { ...answerOf(account), tokenStatus: 400 }),
  };
  brokerConformance(protocol, stage, () => iam);
}
for (const [protocol, stage] of Object.entries(samlStages)) brokerConformance(protocol, stage, () => iam);

test("first sign-ins of one account at once, on two nodes, make one user with one link, and all are signed in", async () => {
  const realm = await iam.realm();
  await realm.asMaster().post("/identity-providers", { alias: "theirs", protocol: "saml", config: idp.config });
  const node = await iam.secondNode();
  const base = `/realms/${realm.name}/broker/theirs`;
  const ready = [];
  for (const app of [iam, node, iam, node, iam, node].map(({ server }) => server.app)) {
    const browser = new Browser(app, "198.51.100.7");
    const left = await browser.get(`${base}/login`);
    const { members } = await posted(new URL(String(left.headers.location)), {
      subject: "4711",
      email: "ada@example.com",
      username: "ada",
    });
    const back = await browser.request("POST", `${base}/endpoint`, { form: { ...members }, csrf: false });
    ready.push({ browser, path: String(back.headers.location) });
  }
  const answers = await Promise.all(ready.map(({ browser, path }) => browser.get(path)));
  expect(answers.map((answer) => isSignedIn(answer, realm.name))).toEqual(Array(6).fill(true));
  expect((await realm.asMaster().get("/users")).body.map(({ username }: { username: string }) => username).sort()).toEqual([
    "ada",
    "admin",
  ]);
  expect(await realm.events("type=LINK_ADDED")).toHaveLength(1);
});
