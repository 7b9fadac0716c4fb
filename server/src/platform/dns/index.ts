// Asks the DNS for records that prove something. Addresses of hosts are looked up by platform/outbound.
import { Resolver } from "node:dns/promises";

export interface Dns {
  /** Returns the TXT records of a name, or an empty list if it has none. Returns null if the DNS did not answer, which proves nothing. */
  txt(name: string): Promise<readonly string[] | null>;
}

const TIMEOUT = 1_500;
const TRIES = 2;
/** The longest time for a name, however slow its servers are. */
const DEADLINE = 4_000;
/** The error codes of c-ares for a name or a record that does not exist. */
const ABSENT = new Set(["ENOTFOUND", "ENODATA"]);

/** Creates the client. `servers` are addresses with an optional port; an empty list stands for the servers of the system. */
export function createDns({ servers }: { readonly servers: readonly string[] }): Dns {
  return {
    async txt(name) {
      // Each question has its own resolver, so that one that takes too long can be given up without the others.
      const resolver = new Resolver({ timeout: TIMEOUT, tries: TRIES });
      if (servers.length > 0) resolver.setServers(servers);
      const deadline = setTimeout(() => resolver.cancel(), DEADLINE);
      try {
        // RFC 1035 §3.3.14: a record is a list of strings of up to 255 bytes, which are read as one.
        return (await resolver.resolveTxt(name)).map((strings) => strings.join(""));
      } catch (error) {
        return ABSENT.has((error as NodeJS.ErrnoException).code ?? "") ? [] : null;
      } finally {
        clearTimeout(deadline);
      }
    },
  };
}
