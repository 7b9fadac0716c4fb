import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { clock } from "../../../../kernel/clock.ts";
import { inTransaction } from "../../../../platform/db/index.ts";
import { joinSession } from "../../../../signin/sessions/index.ts";
import { writeGrant } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";
import { draftOf } from "../models/grant.ts";

/**
 * Authorization responses with tokens and without a code: stores their grant and adds the client to the session's participants, before the response
 * is sent.
 */
export function storeFrontChannelGrants(provider: Provider, { db, realm: { realmId } }: RealmParts): void {
  const withTokens = new WeakSet<KoaContextWithOIDC>();
  provider.on("authorization.success", (ctx, answer) => {
    if (answer && "id_token" in answer && !("code" in answer)) withTokens.add(ctx);
  });
  provider.use(async (ctx, next) => {
    await next();
    if (!withTokens.has(ctx as unknown as KoaContextWithOIDC)) return;
    const { client, session, entities } = (ctx as unknown as KoaContextWithOIDC).oidc;
    const grant = draftOf(entities.Grant);
    const now = clock.now();
    await inTransaction(db, async (tx) => {
      if (grant) await writeGrant(tx, realmId, grant);
      await joinSession(tx, realmId, { sessionId: session!.uid, protocol: "oidc", clientId: client!.clientId, now });
    });
  });
}
