import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { isId } from "../../../kernel/ids.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import type { IssuerParts } from "../parts.ts";

/** An `act` claim (RFC 8693 §4.1). */
export type Act = Readonly<Record<string, unknown>>;

/** An administrator who acts as a user. */
export interface Impersonator {
  readonly realm: string;
  readonly userId: string;
  /** The administrator's name in the audit trail. */
  readonly name: string;
}

export interface ImpersonatorColumns {
  impersonator: string | null;
  impersonator_id: string | null;
  impersonator_realm: string | null;
}

export const toImpersonator = (row: ImpersonatorColumns): Impersonator | null =>
  row.impersonator === null ? null : { realm: row.impersonator_realm!, userId: row.impersonator_id!, name: row.impersonator };

/** RFC 8693 §4.1: returns the `act` claim. It contains `iss` if the actor is a user of another realm (`master`). */
export function actOf({ issuer, realm }: IssuerParts, impersonator: Impersonator | null): Act | undefined {
  if (!impersonator) return undefined;
  const act = { sub: impersonator.userId, preferred_username: impersonator.name };
  const realms = issuer.slice(0, -realm.realmId.length);
  return impersonator.realm === realm.realmId ? act : { ...act, iss: realms + impersonator.realm };
}

/** Returns the parties of an `act` claim, the current actor first. */
export function actorsIn(act: unknown): readonly Act[] {
  const actors: Act[] = [];
  for (let next = act; typeof next === "object" && next !== null && actors.length <= MAX_ACTORS; next = (next as Act).act)
    actors.push(next as Act);
  return actors;
}

/** Returns the agents among the actors. */
export const agentsIn = (act: unknown): readonly { readonly agentId: string; readonly clientId: string }[] =>
  actorsIn(act).flatMap(({ agent_id: agentId, client_id: clientId }) =>
    typeof agentId === "string" && isId(agentId) && typeof clientId === "string" ? [{ agentId, clientId }] : [],
  );

/** The maximum depth of nested `act` claims. */
const MAX_ACTORS = 5;

/** Adds an actor, with the prior actors nested in it. Refuses a chain that is too long. */
export function nextAct(actor: Act, before: Act | null | undefined): Act {
  const act = before ? { ...actor, act: before } : actor;
  if (actorsIn(act).length > MAX_ACTORS) throw oauthErrors.invalidRequest(`no more than ${MAX_ACTORS} may act for each other`);
  return act;
}

/**
 * Makes an agent the current actor of every user's token that its client gets. Refuses an agent that is in the chain already, behind
 * another one, because tokens would go around in circles. draft-mcguinness-oauth-actor-profile defines `sub_profile`.
 */
export function actOfClient({ clientId, agent }: Pick<ClientSnapshot, "clientId" | "agent">, act: Act | undefined): Act | undefined {
  if (!agent || act?.agent_id === agent.id) return act;
  if (agentsIn(act).some(({ agentId }) => agentId === agent.id)) throw oauthErrors.invalidRequest("this agent is already in the chain");
  // The client may be the actor already, by its own actor token.
  const isNamed = act?.client_id === clientId && act.sub === clientId;
  const actor = { sub: clientId, client_id: clientId, agent_id: agent.id, sub_profile: "ai_agent" };
  return nextAct(actor, isNamed ? (act.act as Act | undefined) : act);
}
