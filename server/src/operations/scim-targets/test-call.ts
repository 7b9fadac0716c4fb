import { listIn, member, type Peer, PeerError, PROBE } from "./peer.ts";
import type { ScimTargetTest } from "./schema.ts";

type Check = ScimTargetTest["checks"][number];

/** Tests a target, with a result for each step up to the first that fails. It changes nothing there, and returns no personal data. */
export async function testTarget(peer: Peer, withGroups: boolean): Promise<ScimTargetTest> {
  const checks: Check[] = [];
  const add = (name: Check["name"], ok: boolean, message: string) => void checks.push({ name, ok, message });
  const list = async (name: "users" | "groups", path: string) => {
    const answer = await peer.request("GET", path);
    if (checks.length === 0) {
      add("reach", true, "The target answers.");
      add("authorised", answer.status !== 403, answer.status === 403 ? answer.detail : "The target accepts our credentials.");
      if (answer.status === 403) return;
    }
    const isList =
      answer.ok && answer.body !== null && (member(answer.body, "totalResults") !== undefined || listIn(answer.body).length > 0);
    const failed = answer.ok ? "The answer is no list of SCIM: is the address right?" : answer.detail;
    add(name, isList, isList ? `The target lists its ${name}.` : failed);
  };
  try {
    await list("users", PROBE);
    if (withGroups && checks.every(({ ok }) => ok)) await list("groups", "/Groups?startIndex=1&count=1&excludedAttributes=members");
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    const isReached = error.failure === "denied" || error.failure === "busy";
    if (isReached) add("reach", true, "The target answers.");
    add(error.failure === "denied" ? "authorised" : error.failure === "busy" ? "users" : "reach", false, error.aboutObject);
  }
  return { ok: checks.every(({ ok }) => ok), checks };
}
