import type { FastifyRequest } from "fastify";
import { eraseOneself } from "../../../directory/users/index.ts";
import type { UnitOfWork } from "../../../platform/unit-of-work.ts";
import { assertMayChangeSignIn } from "../audience.ts";
import { accountErrors } from "../errors.ts";

/** The user's own account, for good, where the realm allows it. */
export async function eraseAccount({ work }: { readonly work: UnitOfWork }, req: FastifyRequest): Promise<void> {
  if (!req.realm.settings.account.erase) throw accountErrors.erase_off();
  // Without the address, which the event of it would keep.
  await work.transact({ realm: req.realmId, actor: req.actor!, sourceIp: null }, async (ctx) => {
    await assertMayChangeSignIn(ctx, req.client);
    await eraseOneself(ctx);
  });
}
