import { clock, SECOND } from "../../kernel/clock.ts";
import { OutboundError, type OutboundRequest } from "../../platform/outbound/index.ts";
import {
  type Endpoints,
  hostOf,
  type LinkTokens,
  objectOf,
  type ProviderSnapshot,
  UPSTREAM_TIMEOUT,
  UpstreamError,
} from "../identity-providers/index.ts";
import type { BrokerTools } from "./broker.ts";
import { authenticateTo } from "./client-auth.ts";

/** RFC 6749 §5.1 */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type?: unknown;
  readonly expires_in?: unknown;
  readonly refresh_token?: unknown;
  readonly scope?: unknown;
  readonly id_token?: unknown;
}

/** Asks the token endpoint. */
export async function requestTokens(
  provider: ProviderSnapshot,
  endpoints: Endpoints,
  grant: Readonly<Record<string, string>>,
  tools: BrokerTools,
): Promise<TokenAnswer> {
  const { headers, members } = await authenticateTo(provider, endpoints);
  const body = await ask(tools, endpoints.tokenUrl, "token", {
    method: "POST",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: new URLSearchParams({ ...grant, ...members }).toString(),
  });
  const tokens = objectOf(body, endpoints.tokenUrl, "token");
  // GitHub reports errors with status 200.
  if (typeof tokens.access_token !== "string" || tokens.error !== undefined)
    throw new UpstreamError(tokens.error === undefined ? "token" : "token_refused", "The provider did not give a token.");
  return tokens as unknown as TokenAnswer;
}

/** Bounded in time and size; redirects are not followed, so neither the code nor the secret goes anywhere else. */
export async function ask({ upstreams }: BrokerTools, url: string, reason: string, request: OutboundRequest): Promise<string> {
  try {
    const answer = await upstreams.outbound.fetch(url, { timeoutMs: UPSTREAM_TIMEOUT, ...request });
    // RFC 6749 §5.2: it understood and refused.
    const isRefused = reason === "token" && (answer.status === 400 || answer.status === 401);
    if (answer.status !== 200)
      throw new UpstreamError(isRefused ? "token_refused" : reason, `${hostOf(url)} answered with status ${answer.status}.`);
    return answer.text();
  } catch (error) {
    if (error instanceof OutboundError) throw new UpstreamError(reason, error.message, error.cause ?? error);
    throw error;
  }
}

const MAX_TOKEN = 32_768;
const textOf = (value: unknown): string | null => (typeof value === "string" && value.length <= MAX_TOKEN ? value : null);

/** As they are kept. `before`: of a refresh, which may leave out what stays as it is (RFC 6749 §6). */
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
