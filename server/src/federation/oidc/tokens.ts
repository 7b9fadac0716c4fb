import { clock, SECOND } from "../../kernel/clock.ts";
import type { BrokerTools } from "../brokers/broker.ts";
import type { LinkTokens } from "../providers/link-tokens.store.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import { authenticateTo } from "./client-auth.ts";
import { callProvider, type Endpoints, objectOf, UpstreamError } from "./metadata.ts";
import type { Quirks } from "./quirks.ts";

/** RFC 6749 §5.1 */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type?: unknown;
  readonly expires_in?: unknown;
  readonly refresh_token?: unknown;
  readonly scope?: unknown;
  readonly id_token?: unknown;
}

/** RFC 6749 §5.2: statuses of a provider that understood the request and refused it. */
const REFUSED = { 400: "token_refused", 401: "token_refused" };

/** Sends a grant to the token endpoint. */
export async function requestTokens(
  provider: ProviderSnapshot,
  endpoints: Endpoints,
  quirks: Quirks,
  grant: Readonly<Record<string, string>>,
  { upstreams }: BrokerTools,
): Promise<TokenAnswer> {
  const { headers, members } = await authenticateTo(provider, endpoints, quirks);
  const request = {
    method: "POST",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams({ ...grant, ...members }).toString(),
  } as const;
  const answer = await callProvider(upstreams.outbound, endpoints.tokenUrl, "token", request, REFUSED);
  const tokens = objectOf(answer.text(), endpoints.tokenUrl, "token");
  // GitHub reports errors with status 200.
  if (typeof tokens.access_token !== "string" || tokens.error !== undefined)
    throw new UpstreamError(tokens.error === undefined ? "token" : "token_refused", "The provider did not give a token.");
  return tokens as unknown as TokenAnswer;
}

const MAX_TOKEN = 32_768;
const textOf = (value: unknown): string | null => (typeof value === "string" && value.length <= MAX_TOKEN ? value : null);

/** Returns the tokens to store. `before` are the tokens before a refresh, whose response may omit unchanged ones (RFC 6749 §6). */
export function linkTokensOf(answer: TokenAnswer, before: LinkTokens | null = null): LinkTokens {
  const { access_token: accessToken, expires_in: expiresIn } = answer;
  if (accessToken.length > MAX_TOKEN) throw new UpstreamError("token", "The provider's token is too long to be kept.");
  const seconds = Number(expiresIn);
  return {
    accessToken,
    tokenType: textOf(answer.token_type) ?? before?.tokenType ?? "Bearer",
    refreshToken: textOf(answer.refresh_token) ?? before?.refreshToken ?? null,
    idToken: textOf(answer.id_token) ?? before?.idToken ?? null,
    scope: textOf(answer.scope) ?? before?.scope ?? null,
    expiresAt: Number.isFinite(seconds) && seconds > 0 ? clock.now() + Math.min(seconds, 10 ** 9) * SECOND : null,
  };
}
