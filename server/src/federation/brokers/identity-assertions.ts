import { parseJws } from "../../kernel/jws.ts";
import { OutboundError } from "../../platform/outbound/index.ts";
import { filledUrl, UpstreamError } from "../oidc/metadata.ts";
import { brokerOf } from "../providers/protocols.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { isInAllowedDomain } from "./accounts.ts";
import { askingProvider, type BrokerParts } from "./parts.ts";

/** An identity assertion of a provider of the realm. */
export interface ReadAssertion {
  readonly provider: ProviderSnapshot;
  /** The subject of the user's link. */
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

const MAX_LENGTH = 16 * 1024;

/** Returns null if the assertion is not valid. Calls only providers whose assertions the realm accepts; otherwise strangers would choose the calls. */
export async function readIdentityAssertion(
  { providers, tools }: BrokerParts,
  realm: string,
  audience: string,
  jwt: string,
): Promise<ReadAssertion | null> {
  const issuer = jwt.length > MAX_LENGTH ? undefined : parseJws(jwt)?.payload.iss;
  const known = typeof issuer === "string" ? [...((await providers.get(realm))?.byAlias.values() ?? [])] : [];
  const provider = known.find(
    ({ enabled, config }) => enabled && config.acceptIdentityAssertions === true && filledUrl(config, "issuer") === issuer,
  );
  const broker = provider && brokerOf(provider.protocol);
  if (!provider || !broker?.readIdentityAssertion) return null;
  try {
    const identity = await askingProvider(tools, async (bounded) => broker.readIdentityAssertion!(provider, jwt, audience, bounded));
    return isInAllowedDomain(provider, identity) ? { provider, subject: identity.subject, claims: identity.claims } : null;
  } catch (err) {
    if (!(err instanceof UpstreamError) && !(err instanceof OutboundError)) throw err;
    const { alias, protocol } = provider;
    tools.log.warn({ err, realm, alias, protocol }, "an identity assertion was refused");
    return null;
  }
}
