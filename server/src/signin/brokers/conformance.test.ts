import { type BrokerStage, brokerConformance, type TheirAccount } from "../../testing/broker-conformance.ts";
import type { Harness } from "../../testing/harness.ts";
import { leastConfig } from "../../testing/identity-providers.ts";
import { openidBroker } from "../../testing/openid-broker.ts";
import type { OpenidPeer, PeerAnswer } from "../../testing/openid-peer.ts";
import type { ProtocolName } from "../identity-providers/index.ts";

let iam: Harness;
let peer: OpenidPeer;
openidBroker((stage) => {
  ({ iam, peer } = stage);
});

const TENANT = "9b3f2c1e-5d6a-4f70-8a91-2b3c4d5e6f70";
const PATHS = { authorizationUrl: "/authorize", tokenUrl: "/token", jwksUrl: "/jwks", userinfoUrl: "/userinfo", issuer: "" };
const placed = (...members: (keyof typeof PATHS)[]) =>
  Object.fromEntries(members.map((member) => [member, `${peer.issuer}${PATHS[member]}`]));
const everywhere = () => placed("issuer", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl");

const names = { given_name: "Ada", family_name: "Lovelace" };
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

/** What each does otherwise. */
const kinds: Partial<Record<ProtocolName, Kind>> = {
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
  facebook: {
    config: () => ({ ...placed("authorizationUrl", "tokenUrl"), userinfoUrl: `${peer.issuer}/me?fields=id` }),
    answer: ({ subject, email }) => profileOf({ "/me": { id: subject, email, first_name: "Ada", last_name: "Lovelace" } }),
  },
};

for (const [protocol, kind] of Object.entries(kinds) as [ProtocolName, Kind][]) {
  const back = (left: URL, answer: PeerAnswer) => {
    const { iss, ...members } = peer.signIn(left, answer) as { iss: string } & Record<string, string>;
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
