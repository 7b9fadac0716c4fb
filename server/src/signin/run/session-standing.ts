import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import type { SignInParts, SignInRequest, VisitorFacts } from "../authenticators/index.ts";
import type { Flows, FlowsSnapshot } from "../flows/index.ts";
import type { LiveSession } from "../sessions/index.ts";
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
 * The one rule of what a session stands for: it is sufficient for a request if its proofs pass the flow that the request names (by default the
 * realm's own) for its user as they are now, and no required action is open. Otherwise a sign-in with the same request continues from the session.
 * The session was read with its user, so a flow whose conditions look at neither roles nor browsers is judged without a query.
 */
export async function standingOf(parts: SignInParts, { realm, flows, visitor, request }: AskedOfSession): Promise<SessionStanding> {
  const { session } = visitor;
  // An impersonator is not asked for the user's factors.
  if (session.impersonator !== null) return "enough";
  // The sign-in refuses a user who is no longer in their directory.
  const isMissing =
    session.user.isFromDirectory && (await parts.entryChecks.standing(realm.realmId, session.userId, "renewal")) !== "stands";
  if (isMissing) return "proof";
  if (!flows.byAlias.has(request.flow ?? "browser")) return "proof"; // renamed or deleted meanwhile: the sign-in shows the error
  const interaction = {
    ...{ interactionId: "", kind: "standing", browser: "", returnTo: "", version: 0 },
    ...{ request: { ...request }, state: {}, result: null },
  };
  const standing = await provenBy(parts, await openSignIn(parts, { realm, flows, visitor, interaction, returnTo: "" }));
  if (standing.outcome !== "pass") return "proof";
  return (await actionLeft(parts, standing.run)) ? "action" : "enough";
}

/** The origin of a request that is judged apart from a page: a browser's cookie, or an application with a token. */
export interface RequestFacts {
  readonly sourceIp: string;
  readonly userAgent: string | null;
  readonly deviceToken?: string | null;
}

export type Standings = ReturnType<typeof createStandings>;

/** `standingOf` for all realms, for those who have a session and no sign-in at hand. */
export const createStandings =
  (parts: SignInParts, flows: Flows) =>
  async (realm: RealmSnapshot, session: LiveSession, from: RequestFacts, request: SignInRequest = {}): Promise<SessionStanding> => {
    const ofRealm = await flows.get(realm.realmId);
    if (!ofRealm) return "proof"; // the realm was deleted
    const locale = realm.settings.defaultLocale as VisitorFacts["locale"];
    const visitor = { session, preSession: "", locale, deviceToken: null, ...from };
    return standingOf(parts, { realm, flows: ofRealm, visitor, request });
  };
