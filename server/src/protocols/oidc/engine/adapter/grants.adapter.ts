import type { Adapter, AdapterPayload } from "oidc-provider";
import { clock, SECOND } from "../../../../kernel/clock.ts";
import { isId } from "../../../../kernel/ids.ts";
import { deleteGrant, findLiveGrant, type GrantPayload, type LiveGrant, writeGrant } from "../../../tokens/index.ts";
import type { AdapterParts } from "./parts.ts";

/** Grants of users to clients. Only live ones are found: session, user and client exist and are enabled. */
export class GrantsAdapter implements Adapter {
  readonly #parts: AdapterParts;

  constructor(parts: AdapterParts) {
    this.#parts = parts;
  }

  /** For grants without a session; with one, `writeGrant` is called directly. */
  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const now = clock.now();
    await writeGrant(this.#parts.db, this.#parts.realm, {
      grantId: id,
      userId: payload.accountId!,
      clientId: payload.clientId!,
      sessionId: null,
      payload: storedGrant(payload),
      now,
      expiresAt: now + expiresIn * SECOND,
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = isId(id) ? await findLiveGrant(this.#parts.db, this.#parts.realm, id, clock.now()) : null;
    return found ? grantPayload(found) : undefined;
  }

  async findByUserCode(): Promise<undefined> {
    return undefined;
  }

  async findByUid(): Promise<undefined> {
    return undefined;
  }

  async consume(): Promise<void> {
    throw new Error("A grant is not consumed");
  }

  async destroy(id: string): Promise<void> {
    await deleteGrant(this.#parts.db, this.#parts.realm, id);
  }

  async revokeByGrantId(): Promise<void> {
    // `destroy` does it
  }
}

/** The members that are not columns. */
export const storedGrant = ({ openid, resources, rejected, rar }: AdapterPayload & Record<string, unknown>): GrantPayload =>
  ({ openid, resources, rejected, rar }) as GrantPayload;

export const grantPayload = (grant: LiveGrant): AdapterPayload => ({
  ...(grant.payload as AdapterPayload),
  kind: "Grant",
  jti: grant.grantId,
  accountId: grant.userId,
  clientId: grant.clientId,
  iat: Math.floor(grant.createdAt / SECOND),
  exp: Math.floor(grant.expiresAt / SECOND),
});
