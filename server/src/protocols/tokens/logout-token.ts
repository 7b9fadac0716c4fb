import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { algOf, signJwt } from "./jwt.ts";
import type { IssuerParts } from "./parts.ts";

const LIFETIME = 120;

/** OpenID Connect Back-Channel Logout §2.4: makes a logout token. If the user was erased, it has only `sid`. */
export async function logoutToken(parts: IssuerParts, client: ClientSnapshot, sessionId: string, userId: string | null): Promise<string> {
  const iat = Math.floor(clock.now() / SECOND);
  const payload = {
    ...(userId !== null && { sub: await parts.subjectOf(parts.realm.realmId, client, userId) }),
    jti: newId(),
    sid: sessionId,
    events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    aud: client.clientId,
    exp: iat + LIFETIME,
    iat,
    iss: parts.issuer,
  };
  return signJwt(parts, algOf(parts, client, "idTokenAlg"), "logout+jwt", JSON.stringify(payload));
}
