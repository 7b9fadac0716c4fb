import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";
import { createFloodGate } from "../../kernel/flood-gate.ts";
import { anonymousActor } from "../../platform/context.ts";
import type { Origin, UnitOfWork } from "../../platform/unit-of-work.ts";
import { createUpstreams } from "../oidc/upstreams.ts";
import { withinDeadline } from "../providers/deadline.ts";
import { brokerOf } from "../providers/protocols.ts";
import type { IdentityProviders, ProviderSnapshot } from "../providers/provider.ts";
import { createSamlTools, type SamlBroker, type SamlTools } from "../saml/index.ts";
import type { BrokerTools } from "./broker.ts";
import { createOutages, type Outages } from "./outages.ts";

/** Calls a provider within the deadline. Throws an UpstreamError `timeout`. */
export const askingProvider = <T>(tools: BrokerTools, work: (tools: BrokerTools) => Promise<T>): Promise<T> =>
  withinDeadline(tools.upstreams.outbound, tools.timeoutMs, (outbound) =>
    work({ ...tools, upstreams: { ...tools.upstreams, outbound }, saml: { ...tools.saml, outbound } }),
  );

/** The `error` of an answer that was already refused and recorded when it was posted. */
export const REFUSED = "refused";

/** The broker of a protocol that is based on SAML. */
export function samlBrokerOf(protocol: string): SamlBroker | null {
  const broker = brokerOf(protocol);
  return broker && "logout" in broker ? (broker as SamlBroker) : null;
}

/** The dependencies of the step `identity-provider`. */
export interface BrokerParts {
  readonly providers: IdentityProviders;
  readonly tools: BrokerTools;
  readonly outages: Outages;
  /** Counts a sign-in by protocol. There are too many aliases, and they are a private matter of each realm. */
  counted(protocol: string, outcome: "success" | "failure"): void;
  /** Records and counts a failed sign-in. Of a flood only the first ones are recorded. */
  failed(work: UnitOfWork, provider: ProviderSnapshot, reason: string, from: Pick<Origin, "sourceIp" | "requestId">): Promise<void>;
}

export function createBrokers({
  providers,
  outbound,
  registry,
  log,
  timeoutMs,
  ...parts
}: {
  readonly providers: IdentityProviders;
  readonly registry: Registry;
  readonly log: Logger;
  readonly timeoutMs: number;
} & Omit<SamlTools, "upstreams">): BrokerParts {
  const logins = new Counter({
    ...{
      name: "svc_broker_login_total",
      help: "Sign-ins by identity providers",
      labelNames: ["protocol", "outcome"],
      registers: [registry],
    },
  });
  const counted = (protocol: string, outcome: "success" | "failure") => logins.inc({ protocol, outcome });
  const isRecorded = createFloodGate();
  return {
    providers,
    outages: createOutages(),
    tools: { timeoutMs, upstreams: createUpstreams(outbound), saml: createSamlTools({ outbound, ...parts }), log },
    counted,
    async failed(work, { realm, alias, protocol }, reason, from) {
      counted(protocol, "failure");
      if (!isRecorded(realm)) return;
      await work.transact({ realm, actor: anonymousActor(realm), ...from }, async (ctx) =>
        ctx.audit({ category: "AUTHN", type: "BROKER_LOGIN", outcome: "FAILURE", detail: `${alias}: ${reason}` }),
      );
    },
  };
}
