import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { SignInParts, SignInRequest, VisitorFacts } from "../authenticators/index.ts";
import { certainLevel, type Flow, type FlowsSnapshot, isSubFlow } from "../flows/index.ts";
import { type LiveSession, levelOf } from "../sessions/index.ts";
import { actionLeft, provenBy } from "./position.ts";
import { openSignIn } from "./run.ts";

/** `proof`: the flow asks for something that the session has not proven. `action`: a required action is open. */
export type SessionStanding = "enough" | "proof" | "action";

export interface AskedOfSession {
  readonly realm: RealmSnapshot;
  readonly flows: FlowsSnapshot;
  readonly visitor: VisitorFacts & { readonly session: LiveSession };
  /** The request of the sign-in that would be needed. */
  readonly request: SignInRequest;
}

/**
 * Whether a live session is sufficient for a request of OpenID Connect or SAML: its proofs pass the flow, and no required action is open. Otherwise a
 * sign-in with the same request continues from the session.
 */
export async function standingOf(parts: SignInParts, { realm, flows, visitor, request }: AskedOfSession): Promise<SessionStanding> {
  const { session } = visitor;
  // An impersonator is not asked for the user's factors.
  if (session.impersonator !== null) return "enough";
  // The sign-in refuses a user who is no longer in their directory.
  if ((await parts.entryChecks.standing(realm.realmId, session.userId, "renewal")) !== "stands") return "proof";
  const flow = flows.byAlias.get(request.flow ?? "browser");
  if (!flow) return "proof"; // renamed or deleted meanwhile: the sign-in shows the error
  if (session.requiredActions.length === 0 && passesBySession(flow, session)) return "enough";
  const interaction = {
    ...{ interactionId: "", kind: "standing", browser: "", returnTo: "", version: 0 },
    ...{ request: { ...request }, state: {}, result: null },
  };
  const standing = await provenBy(parts, await openSignIn(parts, { realm, flows, visitor, interaction, returnTo: "" }));
  if (standing.outcome !== "pass") return "proof";
  return (await actionLeft(parts, standing.run)) ? "action" : "enough";
}

/** The common case, without reading the user: the session is an alternative of the flow, and its level is high enough. */
function passesBySession({ steps }: Flow, { proofs }: LiveSession): boolean {
  const asked = steps.filter(({ requirement }) => requirement !== "DISABLED");
  const isAlternative = asked.every(({ requirement }) => requirement === "ALTERNATIVE");
  const hasSession = asked.some((step) => !isSubFlow(step) && step.authenticator === "cookie");
  return isAlternative && hasSession && Number(levelOf(proofs) ?? 0) >= certainLevel(asked);
}
