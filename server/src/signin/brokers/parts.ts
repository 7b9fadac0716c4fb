import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { IdentityProviders, ProtocolName } from "../identity-providers/index.ts";
import type { Broker, BrokerTools } from "./broker.ts";
import { oidc } from "./oidc.ts";
import { createOutages, type Outages } from "./outages.ts";
import { createUpstreams } from "./upstreams.ts";

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
