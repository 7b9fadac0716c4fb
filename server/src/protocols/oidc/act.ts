import type { KoaContextWithOIDC } from "oidc-provider";
import { liveGrantOf } from "./grant.ts";
import { issuerOf } from "./parts.ts";
import { liveSessionOf } from "./session.ts";

/** Who acts as a user, as their session knows them. */
export interface Impersonator {
  readonly realm: string;
  readonly userId: string;
  /** As the trail names them. */
  readonly name: string;
}

/** RFC 8693 §4.1. The name is for people; `iss` is there where the subject is one of another realm (`master`). */
export const actOf = (
  { baseUrl, realm }: { readonly baseUrl: string; readonly realm: { readonly realmId: string } },
  impersonator: Impersonator | null,
): Readonly<Record<string, unknown>> | undefined =>
  impersonator === null
    ? undefined
    : {
        sub: impersonator.userId,
        preferred_username: impersonator.name,
        ...(impersonator.realm !== realm.realmId && { iss: issuerOf(baseUrl, impersonator.realm) }),
      };

/** By the grant; one that is made with this very request is in no row yet, and the session tells. */
export function impersonatorIn({ oidc }: KoaContextWithOIDC): Impersonator | null {
  const grant = liveGrantOf(oidc.grant);
  if (grant) return grant.actingUser;
  const session = liveSessionOf(oidc.session);
  const from = session?.impersonatedFrom;
  return from ? { realm: from.realm, userId: from.userId, name: session.impersonator! } : null;
}
