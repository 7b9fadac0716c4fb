import type { SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import { SECOND } from "../../../kernel/clock.ts";
import type { LogoutApplication } from "../../../pages/index.ts";
import type { LogoutRequests } from "../../../signin/login/index.ts";
import type { SamlParts } from "../parts.ts";
import type { Refusals } from "../refusals.ts";
import { type BrowserEndpoint, backChannelLocation, browserEndpoint } from "./endpoints.ts";
import { type Logout, type LogoutParticipant, participantsOf } from "./store.ts";

/** The dependencies of single logout. */
export interface SloParts extends SamlParts {
  readonly refusals: Refusals;
  /** Returns the applications of other protocols that frames of the last page notify. */
  readonly logoutFrames: LogoutRequests["frames"];
}

/** A service provider of a logout, and how it can be notified: over SOAP by a job, by the browser, or not at all. */
export interface Standing extends LogoutParticipant {
  /** The service provider, or null if it is no longer registered. */
  readonly client: SamlClientSnapshot | null;
  readonly by: "back-channel" | "browser" | null;
  readonly endpoint: BrowserEndpoint | null;
}

export type StandingParts = Pick<SloParts, "db" | "samlClients">;

export async function standingOf({ db, samlClients }: StandingParts, logout: Pick<Logout, "realm" | "logoutId">): Promise<Standing[]> {
  const participants = await participantsOf(db, logout);
  return Promise.all(
    participants.map(async (participant) => {
      const found = await samlClients.get(logout.realm, participant.entityId);
      const client = found?.enabled ? found : null;
      const endpoint = client && browserEndpoint(client);
      const by = client && backChannelLocation(client) !== null ? "back-channel" : endpoint ? "browser" : null;
      return { ...participant, client, by, endpoint };
    }),
  );
}

/** SAML core §3.7.3.2: tells whether every other participant has confirmed its logout. */
export const isComplete = (participants: readonly Standing[]): boolean => participants.every(({ state }) => state === "done");

/** Tells whether the user may still be signed in at a service provider that could be notified. */
export const hasFailed = ({ by, state }: Standing): boolean => by !== null && state !== "done";

export function outcomeOf({ by, state }: Standing): LogoutApplication["outcome"] {
  if (state === "done") return "done";
  if (by === null) return "unsupported";
  if (state === "failed") return "refused";
  return by === "browser" && state === "waiting" ? "waiting" : "unanswered";
}

const WAIT = 200;
/** The number of waits. Three seconds are as long as the page waits for frames. */
const WAITS = (3 * SECOND) / WAIT;

/** Waits for the jobs of the back channel, which began when the session ended. */
export async function settled(parts: StandingParts, logouts: readonly Pick<Logout, "realm" | "logoutId">[]): Promise<Standing[]> {
  for (let waited = 0; ; waited++) {
    const participants = (await Promise.all(logouts.map((logout) => standingOf(parts, logout)))).flat();
    const isPending = participants.some(({ by, state }) => by === "back-channel" && state === "waiting");
    if (!isPending || waited >= WAITS) return participants;
    await new Promise((resolve) => setTimeout(resolve, WAIT));
  }
}
