import type { Metrics } from "../../platform/telemetry/metrics.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

const TOKENS = ["access_token", "id_token", "refresh_token"];

/** `svc_tokens_issued_total`: the tokens in a response of the token endpoint or the authorization endpoint. */
export function countTokens(
  { metrics, realm }: { readonly metrics: Metrics; readonly realm: RealmSnapshot },
  grantType: string,
  response: Readonly<Record<string, unknown>>,
): void {
  const count = TOKENS.filter((name) => response[name] !== undefined).length;
  if (count > 0) metrics.tokens(realm.realmId, count, grantType);
}
