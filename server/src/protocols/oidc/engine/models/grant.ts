import type { Grant, Provider } from "oidc-provider";
import { clock, SECOND } from "../../../../kernel/clock.ts";
import { isId, newId } from "../../../../kernel/ids.ts";
import { findLiveGrant, type GrantPayload, type LiveGrant, type NewGrant } from "../../../tokens/index.ts";
import type { RealmParts } from "../../parts.ts";

const LIVE = Symbol("the row it was read from");

/** Returns the row of a grant that was found, or null for a new grant. */
export const liveGrantOf = (grant: Grant | undefined): LiveGrant | null => (grant as { [LIVE]?: LiveGrant } | undefined)?.[LIVE] ?? null;

interface GrantModel {
  new (payload: object): Grant;
  find(id: unknown): Promise<Grant | undefined>;
  prototype: { generateTokenId(): string };
}

/** Makes the engine find only live grants, with their rows. The engine never stores a grant. */
export function overrideGrants(provider: Provider, { db, realm }: RealmParts): void {
  const model = provider.Grant as unknown as GrantModel;
  model.find = async (id) => {
    const row = typeof id === "string" && isId(id) ? await findLiveGrant(db, realm.realmId, id, clock.now()) : null;
    return row ? (Object.defineProperty(new model(payloadOf(row)), LIVE, { value: row }) as Grant) : undefined;
  };
  model.prototype.generateTokenId = newId;
}

const payloadOf = (grant: LiveGrant): object => ({
  ...grant.payload,
  kind: "Grant",
  jti: grant.grantId,
  accountId: grant.userId,
  clientId: grant.clientId,
  iat: Math.floor(grant.createdAt / SECOND),
  exp: Math.floor(grant.expiresAt / SECOND),
});

type Draft = Omit<NewGrant, "payload" | "grantId">;

/** The new grants. They are stored with their first code or token, in one statement, so that no unused grant is left behind. */
const drafts = new WeakMap<Grant, Draft>();

export const draftGrant = (grant: Grant, draft: Draft): void => void drafts.set(grant, draft);

/** Tells whether the grant comes from `loadGrant`: the engine makes an empty one if that finds none. */
export const isLoaded = (grant: Grant | undefined): boolean => grant !== undefined && (drafts.has(grant) || liveGrantOf(grant) !== null);

/** Returns the grant to store, or null if it is stored already. */
export function draftOf(grant: Grant | undefined): NewGrant | null {
  const draft = grant && drafts.get(grant);
  if (!draft) return null;
  const { jti, openid, resources, rejected, rar } = grant;
  return { ...draft, grantId: jti, payload: { openid, resources, rejected, rar } as GrantPayload };
}
