import type { Vault } from "../../kernel/vault.ts";
import { systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { generateCompanions } from "./companion.ts";
import { addCompanions } from "./service.ts";
import { findIncompleteKeys } from "./store.ts";

const BATCH = 100;

/** Adds the companions that keys of an older release lack. It runs at start and from time to time, because an older node may still rotate keys. */
export async function completeKeys({ db, vault, work }: { readonly db: Db; readonly vault: Vault; readonly work: UnitOfWork }) {
  for (;;) {
    const keys = await findIncompleteKeys(db, BATCH);
    for (const { realm, keyId, missing } of keys) {
      const companions = await generateCompanions(vault, realm, keyId, missing);
      await work.transact({ realm, actor: systemActor(realm), sourceIp: null }, (ctx) => addCompanions(ctx, keyId, companions));
    }
    if (keys.length < BATCH) return;
  }
}
