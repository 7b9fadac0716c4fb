import { clock, SECOND } from "../../../kernel/clock.ts";
import { OAuthError, oauthErrors } from "../../../kernel/oauth-error.ts";
import { sha256 } from "../../../kernel/vault.ts";
import { countPoll, type DecoupledModel, findPolled } from "../../decoupled/index.ts";
import { type Grant, Replayed } from "../grant.ts";
import { findStored, issueStored, liveGrantOf, NARROWING, type StoredSource } from "../stored-source.ts";

/** RFC 8628 §3.2, CIBA §7.3: the default intervals, because our responses contain no `interval`. */
const POLLING = { interval: 5 * SECOND, slower: 5 * SECOND };

interface Decoupled {
  readonly model: DecoupledModel;
  /** The parameter that identifies the request. */
  readonly parameter: string;
  /** The grant type in the payload of refresh tokens. */
  readonly gty: string;
}

/** RFC 8628 §3.4, CIBA §10.1: makes a grant in which the client polls for the user's decision. */
const decoupledGrant = ({ model, parameter, gty }: Decoupled): Grant<StoredSource> => ({
  parameters: [parameter, ...NARROWING],
  lists: ["resource"],

  async find(ctx, { params }) {
    const value = params[parameter];
    if (value === undefined) throw oauthErrors.invalidRequest(`missing required parameter '${parameter}'`);
    const { parts, client } = ctx;
    const now = clock.now();
    const key = { realm: parts.realm.realmId, model, recordId: sha256(value) };
    const polled = await findPolled(parts.db, key, now);
    // The owner is checked first: another client learns nothing, and cannot cause `slow_down` for the owner.
    if (polled?.clientId !== client.clientId) throw oauthErrors.invalidGrant();
    if (polled.isExpired) throw oauthErrors.expiredToken();
    if (polled.isOpen) throw (await countPoll(parts.db, key, now, POLLING)) ? oauthErrors.authorizationPending() : oauthErrors.slowDown();
    const source = await findStored(ctx, model, value);
    if (!source) throw oauthErrors.invalidGrant();
    if (source.record.consumedAt !== null) return new Replayed(source.record);
    const { error, errorDescription } = source.record.payload;
    if (error !== undefined) return { ...source, denied: new OAuthError(error, errorDescription ?? error) };
    liveGrantOf(ctx, source);
    return source;
  },

  issue: (ctx, source, presented) => issueStored(ctx, source, presented, { scope: undefined, gty }),
});

/** The CIBA grant (OpenID Connect Client-Initiated Backchannel Authentication §10.1). */
export const ciba = decoupledGrant({
  model: "BackchannelAuthenticationRequest",
  parameter: "auth_req_id",
  gty: "ciba",
});

/** The device grant (RFC 8628 §3.4). */
export const deviceCode = decoupledGrant({
  model: "DeviceCode",
  parameter: "device_code",
  gty: "device_code",
});
