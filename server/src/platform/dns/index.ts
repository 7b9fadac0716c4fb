// The DNS, for what is published there to prove something. Addresses of hosts are looked up by platform/outbound.
import { Resolver } from "node:dns/promises";

export interface Dns {
  /** The TXT records of a name; none is an empty list. Null: the DNS did not answer, which says nothing. */
  txt(name: string): Promise<readonly string[] | null>;
}

const TIMEOUT = 1_500;
const TRIES = 2;
/** No name takes longer, whatever its servers do. */
const DEADLINE = 4_000;
/** c-ares' words for a name, or a record of it, that does not exist. */
const ABSENT = new Set(["ENOTFOUND", "ENODATA"]);

/** `servers`: addresses with an optional port; empty: those of the system. */
export function createDns({ servers }: { readonly servers: readonly string[] }): Dns {
  return {
    async txt(name) {
      // One for each question, so that a question that takes too long can be given up without the others.
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
