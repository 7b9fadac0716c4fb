import { AppError, defineErrors } from "../../../kernel/errors.ts";
import { cut } from "../../../kernel/text.ts";
import { homeOf } from "../../../pages/index.ts";
import type { LogoutRequest, LogoutRequests } from "../../../signin/login/index.ts";
import { verifyIdTokenHint } from "../../tokens/index.ts";
import { keepPosted, takePosted } from "../authorize/index.ts";
import type { Issuer, Issuers } from "../issuer.ts";
import { frontchannelClients } from "./participants.store.ts";

const errors = defineErrors("oidc", {
  logout_hint: [400, "The id_token_hint is not an ID token of this realm, or not one for the named client"],
});

const unknownRedirect = (home: string | undefined) =>
  new AppError("oidc.logout_redirect", 400, "The post_logout_redirect_uri is not registered for this client", { home });

/** Makes an error that names the client id, so that the developer of the application can see it. */
const unknownClient = (clientId: string) =>
  new AppError("oidc.logout_client", 400, `The client_id names no client of this realm: ${cut(clientId, 255)}`);

interface LogoutParams {
  readonly id_token_hint?: string;
  readonly client_id?: string;
  readonly post_logout_redirect_uri?: string;
  readonly state?: string;
}

/** OpenID Connect RP-Initiated Logout 1.0: reads logout requests. */
export const createLogoutRequests = (issuers: Issuers): LogoutRequests => {
  const issuerOf = async (realm: string): Promise<Issuer> => (await issuers.get(realm))!; // the gate has checked that the realm exists
  return {
    async read(realm, params, session): Promise<LogoutRequest> {
      const issuer = await issuerOf(realm);
      const { post_logout_redirect_uri: uri, state, ...rest } = params as LogoutParams;
      const hint = rest.id_token_hint === undefined ? null : hintOf(issuer, rest.id_token_hint, rest.client_id !== undefined);
      if (hint && rest.client_id !== undefined && hint.clientId !== rest.client_id) throw errors.logout_hint();
      const clientId = hint?.clientId ?? rest.client_id;
      const client = clientId === undefined ? null : await issuer.parts.clients.get(realm, clientId);
      if (clientId !== undefined && !client) throw unknownClient(clientId);
      // §3: without a client the URI cannot be registered, so there is no redirect.
      const home = client ? homeOf(client.settings.clientUri, client.redirectUris) : undefined;
      if (client && uri !== undefined && !client.settings.postLogoutRedirectUris.includes(uri)) throw unknownRedirect(home);
      const redirectTo = client && uri !== undefined ? withQuery(uri, { state }) : null;
      return {
        redirectTo,
        // §2: the user need not confirm if the hint belongs to the current session.
        isCertain: hint !== null && session !== null && hint.sessionId === session.sessionId,
        askedBy: client?.clientId ?? null,
        home: home ?? null,
        fields: client
          ? {
              client_id: client.clientId,
              ...(uri !== undefined && { post_logout_redirect_uri: uri }),
              ...(state !== undefined && { state }),
            }
          : {},
      };
    },
    keep: async (realm, form, address) => keepPosted((await issuerOf(realm)).parts, form, address),
    async take(realm, id) {
      const query = await takePosted((await issuerOf(realm)).parts.db, realm, id);
      return query === null ? null : Object.fromEntries(new URLSearchParams(query));
    },
    async frames(realm, sessionId) {
      const { parts } = await issuerOf(realm);
      return (await frontchannelClients(parts.db, realm, sessionId)).map(({ clientId, name, uri, isSessionRequired }) => ({
        name: name ?? clientId,
        // OpenID Connect Front-Channel Logout §2 names these parameters.
        url: isSessionRequired ? withQuery(uri, { iss: parts.issuer, sid: sessionId }) : uri,
      }));
    },
  };
};

/**
 * §2: reads the hint, which may have expired. One that cannot be verified, perhaps because its key is gone, is ignored if the request names
 * the client as well: the user is asked. Otherwise it is an error.
 */
function hintOf({ parts }: Issuer, jwt: string, isClientNamed: boolean): { clientId: string; sessionId: unknown } | null {
  const verified = verifyIdTokenHint(parts, jwt);
  if (!verified && isClientNamed) return null;
  if (!verified) throw errors.logout_hint();
  return { clientId: String(verified.payload.aud), sessionId: verified.payload.sid };
}

/** Adds parameters to a registered URI, which remains byte for byte the same if there are none to add. */
function withQuery(uri: string, members: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const url = new URL(uri);
  for (const [name, value] of given) url.searchParams.append(name, value);
  return given.length === 0 ? uri : url.href;
}
