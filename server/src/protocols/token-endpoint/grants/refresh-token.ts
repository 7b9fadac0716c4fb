import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { isPublic } from "../../client-auth/index.ts";
import { REFRESH_TOKEN, unprovenBinding } from "../../tokens/index.ts";
import { type Grant, Replayed, type TokenCtx } from "../grant.ts";
import { isRepeated, keptUntil, touchSession } from "../store.ts";
import { findStored, issueStored, liveGrantOf, NARROWING, type StoredSource } from "../stored-source.ts";

/** The refresh grant (RFC 6749 §6), with rotation (RFC 9700 §4.14.2) or, if configured, without (FAPI 2.0 Security Profile §5.3.2.1). */
export const refreshToken: Grant<StoredSource> = {
  parameters: ["refresh_token", "scope", ...NARROWING],
  lists: ["resource"],

  async find(ctx, { params: { refresh_token: token } }) {
    if (token === undefined) throw oauthErrors.invalidRequest("missing required parameter 'refresh_token'");
    const source = await findStored(ctx, REFRESH_TOKEN, token);
    if (!source) throw oauthErrors.invalidGrant();
    // The rule holds for every client: a replayed token counts as stolen.
    if (source.record.consumedAt !== null && !mayRepeat(ctx, source)) return new Replayed(source.record);
    const grant = liveGrantOf(ctx, source);
    return isRotated(ctx.client, source) ? source : { ...source, keptUntil: keptUntil(ctx, grant) };
  },

  /** Checks the scope (RFC 6749 §6), and the binding of public clients' tokens (RFC 9449 §5, RFC 8705 §7.1). */
  check({ binding }, { record: { payload } }, { params: { scope } }) {
    const unproven = unprovenBinding(payload, binding);
    if (unproven) throw oauthErrors.invalidGrant(`failed ${unproven} verification`);
    const held = new Set(payload.scope?.split(" "));
    const beyond = scope?.split(" ").filter((name) => !held.has(name)) ?? [];
    if (beyond.length > 0) throw oauthErrors.invalidScope("refresh token missing requested scope", { scope: beyond.join(" ") });
  },

  async issue(ctx, source, presented) {
    const issue = await issueStored(ctx, source, presented, { scope: presented.params.scope, gty: null });
    if (issue.kind !== "user" || issue.refresh === null) return issue;
    const refresh = source.keptUntil === undefined ? { ...issue.refresh, replaces: presented.params.refresh_token } : null;
    return { ...issue, refresh };
  },

  record: (ctx, source) => touchSession(ctx.parts, liveGrantOf(ctx, source)),
};

/** RFC 9700 §4.14.2: tells whether the token may be repeated. Only the client and key that it was issued to may have lost a response. */
const mayRepeat = ({ parts, client, binding }: TokenCtx, { record }: StoredSource): boolean =>
  record.payload.clientId === client.clientId && !unprovenBinding(record.payload, binding) && isRepeated(parts, REFRESH_TOKEN, record);

/** Tells whether a refresh token is rotated. One that is not must be sender-constrained, by client authentication or a key. */
function isRotated(client: ClientSnapshot, { record: { payload } }: StoredSource): boolean {
  const isBound = !isPublic(client) || payload.jkt !== undefined || payload["x5t#S256"] !== undefined;
  return client.settings.rotateRefreshTokens || !isBound;
}
