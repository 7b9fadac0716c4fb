import type { AuditDraft, Ctx } from "../../platform/context.ts";
import type { ResourceServer } from "./resource-server.ts";

/** A decision as the audit trail shows it: by ids, which an erasure replaces. */
export interface LoggedDecision {
  readonly isPermitted: boolean;
  /** The subject comes first in the detail, where an erasure looks for a user's id. Null if there is no such subject. */
  readonly subject: { readonly kind: "user" | "client"; readonly id: string } | null;
  readonly scopes: readonly string[];
  /** Null if there is no such resource. */
  readonly resourceId: string | null;
}

/** Stores a sample of the decisions, of the size in the resource server's settings. Without a sample there is no transaction. */
export async function recordDecisions(
  { settings, clientId, client }: ResourceServer,
  decisions: readonly LoggedDecision[],
  transact: (work: (ctx: Ctx) => Promise<void>) => Promise<void>,
): Promise<void> {
  const { decisionLogPercent: percent } = settings;
  const sample = percent > 0 ? decisions.filter(() => Math.random() * 100 < percent) : [];
  if (sample.length === 0) return;
  await transact(async (ctx) => {
    for (const decision of sample) ctx.audit(draftOf(decision, clientId, client));
  });
}

function draftOf({ isPermitted, subject, scopes, resourceId }: LoggedDecision, clientId: string, client: string): AuditDraft {
  const who = subject ? `${subject.kind} ${subject.id}` : "unknown subject";
  return {
    ...{ category: "SECURITY", type: "AUTHZ_DECISION", outcome: isPermitted ? "SUCCESS" : "FAILURE" },
    ...(resourceId === null ? { resourceType: "clients", resourceId: client } : { resourceType: "authz-resources", resourceId }),
    detail: `${who} at ${clientId}: ${scopes.join(" ") || "as a whole"}`,
  };
}
