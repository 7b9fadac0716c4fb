import { hash } from "node:crypto";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import { safeEqual } from "../../../kernel/vault.ts";
import { isPublic } from "../../client-auth/index.ts";
import type { RecordPayload } from "../../tokens/index.ts";
import { type Grant, Replayed } from "../grant.ts";
import { findStored, issueStored, liveGrantOf, NARROWING, type StoredSource } from "../stored-source.ts";

/** The authorization code grant (RFC 6749 §4.1.3). */
export const authorizationCode: Grant<StoredSource> = {
  parameters: ["code", "redirect_uri", "code_verifier", ...NARROWING],
  lists: ["resource"],

  async find(ctx, { params: { code, redirect_uri: redirectUri = onlyRedirectUri(ctx.client), code_verifier: verifier } }) {
    if (code === undefined) throw oauthErrors.invalidRequest("missing required parameter 'code'");
    if (redirectUri === undefined) throw oauthErrors.invalidRequest("missing required parameter 'redirect_uri'");
    const source = await findStored(ctx, "AuthorizationCode", code);
    if (!source) throw oauthErrors.invalidGrant();
    liveGrantOf(ctx, source);
    const { payload, consumedAt } = source.record;
    checkPkce(ctx.client, payload, verifier);
    if (payload.redirectUri !== redirectUri) throw oauthErrors.invalidGrant("redirect_uri is not the one of the authorization request");
    // §4.1.2: only the client that the code was issued to can cause a revocation by replaying it.
    return consumedAt === null ? source : new Replayed(source.record);
  },

  /** RFC 9449 §10: checks the `dpop_jkt` of the authorization request. */
  check({ binding }, { record: { payload } }) {
    if (payload.dpopJkt !== undefined && payload.dpopJkt !== binding.jkt)
      throw oauthErrors.invalidGrant("the DPoP proof is not made with the key of the authorization request");
  },

  issue: (ctx, source, presented) => issueStored(ctx, source, presented, { scope: undefined, gty: "authorization_code" }),
};

/** Returns the only redirect URI of a client, which may omit it: OAuth 2.1 §4.1.3 drops `redirect_uri` from token requests. */
const onlyRedirectUri = ({ redirectUris }: ClientSnapshot): string | undefined => (redirectUris.length === 1 ? redirectUris[0] : undefined);

const VERIFIER = /^[\w.~-]{43,128}$/;

/** RFC 7636 §4.6: checks the verifier. Public clients must use PKCE. */
function checkPkce(client: ClientSnapshot, { codeChallenge, codeChallengeMethod }: RecordPayload, verifier: string | undefined): void {
  if (verifier !== undefined && !VERIFIER.test(verifier))
    throw oauthErrors.invalidRequest("code_verifier must be 43 to 128 letters, digits, '-', '.', '_' or '~'");
  const fits =
    codeChallenge === undefined
      ? verifier === undefined && !isPublic(client)
      : codeChallengeMethod === "S256" && verifier !== undefined && safeEqual(codeChallenge, hash("sha256", verifier, "base64url"));
  if (!fits) throw oauthErrors.invalidGrant("code_verifier does not fit the code_challenge of the authorization request");
}
