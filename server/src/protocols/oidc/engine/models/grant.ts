import type { Grant, Provider } from "oidc-provider";
import { clock } from "../../../../kernel/clock.ts";
import { isId, newId } from "../../../../kernel/ids.ts";
import type { Db } from "../../../../platform/db/index.ts";
import { findLiveGrant, type LiveGrant } from "../../../tokens/index.ts";
import { grantPayload } from "../adapter/grants.adapter.ts";

const LIVE = Symbol("the row it was read from");

/** The row of a grant that was found; null: a new grant. */
export const liveGrantOf = (grant: Grant | undefined): LiveGrant | null => (grant as { [LIVE]?: LiveGrant } | undefined)?.[LIVE] ?? null;

interface GrantModel {
  new (payload: object): Grant;
  find(id: unknown): Promise<Grant | undefined>;
  prototype: { generateTokenId(): string };
}

/** The engine finds only live grants, with the row they were read from. */
export function overrideGrants(provider: Provider, { db, realm }: { readonly db: Db; readonly realm: string }): void {
  const model = provider.Grant as unknown as GrantModel;
  model.find = async (id) => {
    const row = typeof id === "string" && isId(id) ? await findLiveGrant(db, realm, id, clock.now()) : null;
    return row ? fromRow(model, row) : undefined;
  };
  model.prototype.generateTokenId = newId;
}

const fromRow = (model: GrantModel, row: LiveGrant): Grant =>
  Object.defineProperty(new model(grantPayload(row)), LIVE, { value: row }) as Grant;
