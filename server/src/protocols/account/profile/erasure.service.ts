import type { FastifyRequest } from "fastify";
import { eraseOneself } from "../../../directory/users/index.ts";
import type { UnitOfWork } from "../../../platform/unit-of-work.ts";
import { assertMayChangeSignIn } from "../audience.ts";
import { accountErrors } from "../errors.ts";

/** Erases the user's own account for good, if the realm allows it. */
export async function eraseAccount({ work }: { readonly work: UnitOfWork }, req: FastifyRequest): Promise<void> {
  if (!req.realm.settings.account.erase) throw accountErrors.erase_off();
  // The address is left out, because the event of the erasure would keep it.
  await work.transact({ realm: req.realmId, actor: req.actor!, sourceIp: null }, async (ctx) => {
    await assertMayChangeSignIn(ctx, req.client);
    await eraseOneself(ctx);
  });
}
