import { isObject } from "../../kernel/json.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Resource } from "../../protocols/scim/index.ts";
import { confirmedAddress } from "./mapping.ts";
import { denied, idOf, listIn, member, ObjectRefused, type Peer, PeerError } from "./peer.ts";
import type { Person } from "./people.store.ts";
import type { Lookup } from "./preset.ts";
import type { Settings } from "./schema.ts";

/** One way to find a resource: the filter, and a check of what came back. */
export interface Criterion {
  readonly by: string;
  readonly filter: string;
  fits(resource: Resource): boolean;
}

/** Makes a filter. RFC 7644 §3.4.2.2: a value is written as in JSON. */
const equals = (path: string, value: string): string => `${path} eq ${JSON.stringify(value)}`;
const isText = (found: unknown, wanted: string) => typeof found === "string" && loginKey(found) === loginKey(wanted);

const byExternalId = (id: string): Criterion => ({
  by: "externalId",
  filter: equals("externalId", id),
  fits: (resource) => member(resource, "externalId") === id,
});

/**
 * Returns the ways to find an existing account: by our id, which only we send, then by the username, then by the confirmed address. Attributes that
 * users can change at will never count.
 */
export function criteriaOf(settings: Settings, peer: Peer, person: Person, userName: string): Criterion[] {
  const email = confirmedAddress(person);
  const all: Record<Lookup, Criterion | null> = {
    externalId: byExternalId(person.userId),
    userName: {
      by: "userName",
      filter: equals("userName", userName),
      fits: (resource) => isText(member(resource, "userName"), userName),
    },
    email:
      email === null
        ? null
        : {
            by: "address",
            filter: equals(peer.preset.emailFilter, email),
            fits: (resource) => {
              const emails = member(resource, "emails");
              return Array.isArray(emails) && emails.some((one) => isObject(one) && isText(member(one, "value"), email));
            },
          },
  };
  const ways = (["externalId", "userName", "email"] as const).filter((way) => way === "externalId" || settings.matchBy.includes(way));
  return ways.filter((way) => peer.preset.lookups.includes(way)).flatMap((way) => all[way] ?? []);
}

export const groupCriteria = (peer: Peer, groupId: string, name: string): Criterion[] => [
  ...(peer.preset.lookups.includes("externalId") ? [byExternalId(groupId)] : []),
  { by: "displayName", filter: equals("displayName", name), fits: (resource) => isText(member(resource, "displayName"), name) },
];

/** Returns the first resource that fits, or null if the target has none. A service that does not know a filter answers everything, or an error. */
export async function findRemote(peer: Peer, path: "/Users" | "/Groups", criteria: readonly Criterion[]): Promise<Resource | null> {
  for (const { by, filter, fits } of criteria) {
    const query = new URLSearchParams({ filter, ...(path === "/Groups" && { excludedAttributes: "members" }) });
    const answer = await peer.request("GET", `${path}?${query.toString().replaceAll("+", "%20")}`);
    // A service that does not filter by externalId, or by addresses, answers 400. The next criterion may work.
    if (answer.status === 400 || answer.status === 501) continue;
    if (answer.status === 403) throw new ObjectRefused(answer.detail);
    if (!answer.ok) throw denied(`${path} is not served there`, answer);
    if (!answer.body) throw new PeerError("denied", `The answer to ${path} is no SCIM: is the address right?`);
    const found = listIn(answer.body).filter((resource) => idOf(resource) !== null && fits(resource));
    if (found.length > 1) throw new ObjectRefused(`The target has ${found.length} that match by ${by}: please remove all but one.`);
    if (found[0]) return found[0];
  }
  return null;
}
