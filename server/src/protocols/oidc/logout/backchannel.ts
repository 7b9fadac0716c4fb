import { subjectData } from "../../../applications/claims/index.ts";
import { MINUTE, SECOND } from "../../../kernel/clock.ts";
import { GiveUp, type JobHandler } from "../../../platform/jobs/index.ts";
import { notifyParticipants } from "../../../signin/sessions/index.ts";
import { logoutToken } from "../../tokens/index.ts";
import type { Issuers } from "../issuer.ts";
import { withBackchannelUri } from "./participants.store.ts";

export const BACKCHANNEL_JOB = "oidc.backchannel_logout";

const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];

interface LogoutNotice {
  readonly clientId: string;
  readonly sessionId: string;
  readonly userId: string | null;
}

/** Listens to `sessions.ended`. */
export const notifyOidcParticipants = notifyParticipants({
  protocol: "oidc",
  kind: BACKCHANNEL_JOB,
  maxAttempts: WAITS.length + 1,
  reachable: withBackchannelUri,
  notice: ({ clientId, sessionId, userId }) => ({ payload: { clientId, sessionId, userId } satisfies LogoutNotice }),
});

/** OpenID Connect Back-Channel Logout 1.0: sends a logout token to one client, and retries until the client acknowledges it. */
export const backchannelJob = (issuers: Issuers): JobHandler => ({
  waits: WAITS,
  async run({ realm, payload }) {
    const { clientId, sessionId, userId } = payload as unknown as LogoutNotice;
    const issuer = await issuers.get(realm!);
    if (!issuer) return;
    const client = await issuer.parts.clients.get(realm!, clientId);
    const uri = client?.settings.backchannelLogoutUri;
    if (!uri || !client?.enabled) return; // the client was deleted, disabled, or lost the URI
    // §2.4: a logout token needs `sub` or `sid`. If the user was deleted, it has only the session.
    const user = userId === null ? null : await subjectData(issuer.parts.db, realm!, userId);
    const body = new URLSearchParams({ logout_token: await logoutToken(issuer.parts, client, sessionId, user && userId) }).toString();
    const { status } = await issuer.parts.outbound.fetch(uri, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body,
      overflow: "truncate",
    });
    if (status === 200 || status === 204) return;
    // §2.8: the client refused the token, so a retry is useless.
    if (status === 400) throw new GiveUp(`${clientId} refused the logout token`);
    throw new Error(`${clientId} answered ${status} to a logout token`);
  },
});
