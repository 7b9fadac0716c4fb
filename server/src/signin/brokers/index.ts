// Brokers: signing in by an identity provider. One object per protocol (broker.ts is the contract), what becomes of those who come by it, and
// what is mapped from it. The step of a flow is `identity-provider` in signin/authenticators; records and links are signin/identity-providers'.
import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { IdentityProviders, ProtocolName } from "../identity-providers/index.ts";
import type { Broker, BrokerTools } from "./broker.ts";
import { oidc } from "./oidc.ts";
import { createOutages, type Outages } from "./outages.ts";
import { createUpstreams } from "./upstreams.ts";

// Owns `brokered_sessions`, `broker_logouts` and `broker_logout_tokens`.

export { arrive, isInAllowedDomain } from "./accounts.ts";
export { arrivalOf, type BrokeredArrival, keepTokensOf, recordArrival } from "./arrival.ts";
export type { Broker, BrokeredIdentity, BrokerRequest, BrokerTools, Departure, UpstreamHop, UpstreamLogoutNotice } from "./broker.ts";
export {
  type BrokeredSession,
  brokeredSessionsOf,
  recordBrokeredSession,
  sessionsByProvider,
  type UpstreamSession,
} from "./brokered-sessions.ts";
export { homeProvider, homeProviderOf } from "./home-realm.ts";
export { applyMapping, writesEachTime } from "./mapping.ts";

/** By the value of `protocol`. A new one is a line here. */
export const brokers = {
  ...{ oidc, oauth2: oidc, google: oidc, github: oidc, microsoft: oidc, apple: oidc, gitlab: oidc, linkedin: oidc, facebook: oidc },
} satisfies Partial<Record<ProtocolName, Broker>>;

export const brokerOf = (protocol: string): Broker | null =>
  Object.hasOwn(brokers, protocol) ? (brokers as Readonly<Record<string, Broker>>)[protocol]! : null;

/** What the step `identity-provider` works with. */
export interface BrokerParts {
  readonly providers: IdentityProviders;
  readonly tools: BrokerTools;
  readonly outages: Outages;
  /** Counted by protocol: aliases are too many, and a realm's own affair. */
  counted(protocol: string, outcome: "success" | "failure"): void;
}

export function createBrokers({
  providers,
  outbound,
  registry,
  log,
}: {
  readonly providers: IdentityProviders;
  readonly outbound: Outbound;
  readonly registry: Registry;
  readonly log: Logger;
}): BrokerParts {
  const logins = new Counter({
    ...{
      name: "svc_broker_login_total",
      help: "Sign-ins by identity providers",
      labelNames: ["protocol", "outcome"],
      registers: [registry],
    },
  });
  return {
    providers,
    outages: createOutages(),
    tools: { upstreams: createUpstreams(outbound), log },
    counted: (protocol, outcome) => logins.inc({ protocol, outcome }),
  };
}
export { deleteExpiredBrokerLogouts, findUpstreamLogout, takeUpstreamLogout } from "./logouts.store.ts";
export { applyMapping, writesEachTime } from "./mapping.ts";
export { type BrokerParts, brokerOf, brokers, createBrokers } from "./parts.ts";
export {
  type PreparedLogout,
  prepareUpstreamLogout,
  readUpstreamLogout,
  recordUpstreamLogout,
  sessionsToEnd,
  type UpstreamLogoutParts,
} from "./upstream-logout.ts";
