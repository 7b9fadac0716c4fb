import { findClientByClientId, givesPermissions } from "../../applications/clients/index.ts";
import { cut } from "../../kernel/text.ts";
import type { Transact } from "../transfer/index.ts";
import { recordsOf } from "./reading.ts";
import type { Report } from "./report.ts";

/**
 * A client that happens to be called like one of ours must not take it over: the author of the files knows the secret that theirs brings. So a client
 * here that gives permissions of the admin API stays as it is.
 */
export async function keepPowerfulClients(
  transact: Transact,
  baseUrl: string,
  sections: Record<string, unknown>,
  report: Report,
): Promise<Record<string, unknown>> {
  const brought = recordsOf(sections.clients);
  if (brought.length === 0) return sections;
  const clients = await transact(async (ctx) => {
    const taken: typeof brought = [];
    for (const client of brought) {
      const clientId = String(client.clientId);
      const present = await findClientByClientId(ctx.tx, ctx.realm, clientId);
      if (present === null || !(await givesPermissions(ctx, present, baseUrl))) taken.push(client);
      else
        report.choice(
          `The client “${cut(clientId, 100)}” does not come: the client here of that name gives permissions of the admin API, and stays as it is. Delete that one first if it is the same application`,
        );
    }
    return taken;
  });
  return { ...sections, clients };
}
