import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { SignInParts, SignInRequest, VisitorFacts } from "../authenticators/index.ts";
import { certainLevel, type Flow, type FlowsSnapshot, isSubFlow } from "../flows/index.ts";
import { type LiveSession, levelOf } from "../sessions/index.ts";
import { actionLeft, provenBy } from "./position.ts";
import { openSignIn } from "./run.ts";

/** `proof`: the flow asks for something that the session has not proven. `action`: the user has to do something before they go on. */
export type SessionStanding = "enough" | "proof" | "action";

export interface AskedOfSession {
  readonly realm: RealmSnapshot;
  readonly flows: FlowsSnapshot;
  readonly visitor: VisitorFacts & { readonly session: LiveSession };
  /** As the sign-in would be asked for. */
  readonly request: SignInRequest;
}

/**
 * Whether a live session is enough for a request, of OpenID Connect now, SAML and brokers later: what it proved passes their flow,
 * and its user has nothing left to do. What is missing is asked for by a sign-in with the same request, which goes on from the session.
 */
export async function standingOf(parts: SignInParts, { realm, flows, visitor, request }: AskedOfSession): Promise<SessionStanding> {
  const { session } = visitor;
  // The user did not authenticate, and the administrator is asked nothing in their name.
  if (session.impersonator !== null) return "enough";
  const flow = flows.byAlias.get(request.flow ?? "browser");
  if (!flow) return "proof"; // renamed or deleted a moment ago: the sign-in tells
  if (session.requiredActions.length === 0 && passesBySession(flow, session)) return "enough";
  const interaction = {
    ...{ interactionId: "", kind: "standing", browser: "", returnTo: "", version: 0 },
    ...{ request: { ...request }, state: {}, result: null },
  };
  const standing = await provenBy(parts, await openSignIn(parts, { realm, flows, visitor, interaction, returnTo: "" }));
  if (standing.outcome !== "pass") return "proof";
  return (await actionLeft(parts, standing.run)) ? "action" : "enough";
}

/** The case of nearly every request, told without the user: the session is one of the ways, and as sure as the others. */
function passesBySession({ steps }: Flow, { proofs }: LiveSession): boolean {
  const asked = steps.filter(({ requirement }) => requirement !== "DISABLED");
  const isAlternative = asked.every(({ requirement }) => requirement === "ALTERNATIVE");
  const hasSession = asked.some((step) => !isSubFlow(step) && step.authenticator === "cookie");
  return isAlternative && hasSession && Number(levelOf(proofs) ?? 0) >= certainLevel(asked);
}
