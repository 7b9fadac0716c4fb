import { kindOfClient } from "../../../applications/clients/index.ts";
import { systemActor } from "../../../platform/context.ts";
import { clientDefaultScopes, requestedDetails, requestedScopes, resourceOf, scopesAt } from "../../tokens/index.ts";
import type { Grant } from "../grant.ts";

/** The client credentials grant (RFC 6749 §4.4). */
export const clientCredentials: Grant = {
  parameters: ["scope", "resource", "authorization_details"],
  lists: ["resource"],

  find: async () => ({ record: null, grant: null }),

  async issue({ parts, client }, _source, { params, lists }) {
    const details = requestedDetails(params.authorization_details, parts.realm.settings.tokens.authorizationDetailsTypes);
    const target = await resourceOf(parts, client, [], lists.resource ?? []);
    return {
      kind: "client",
      scopes: scopesAt(target, requestedScopes(parts.scopesOfRealm, client, params.scope, clientDefaultScopes)),
      resource: target.resource,
      authorizationDetails: details.length > 0 ? details : undefined,
    };
  },

  async record({ parts, client, sourceIp, requestId }, _source, expiresAt) {
    const { id, clientId, realmId } = client;
    if (parts.realm.settings.auditClientLogins)
      await parts.work.transact({ realm: realmId, actor: systemActor(realmId), sourceIp, requestId }, async (ctx) =>
        ctx.audit({
          category: "AUTHN",
          type: "CLIENT_LOGIN",
          actor: { id, name: clientId, kind: kindOfClient(client) },
          resourceType: "clients",
          resourceId: id,
        }),
      );
    if (expiresAt !== null) parts.activity.issued(client, sourceIp, expiresAt);
  },
};
