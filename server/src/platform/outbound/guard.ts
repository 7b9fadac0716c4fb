import dns from "node:dns/promises";
import { type BlockList, isIP, type LookupFunction } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { createSemaphore } from "../../kernel/semaphore.ts";
import { addressSet, inSet, isLoopbackAddress, isPublicAddress, plainAddress } from "./addresses.ts";
import { OutboundError } from "./errors.ts";
import { canonicalHost, parseAllowance, type Target } from "./targets.ts";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host by DNS. Only tests replace it, because their name server is one of their peers. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

export interface Guard {
  /** Resolves the host and returns its addresses if every one of them may be reached. */
  addresses(target: Target): Promise<readonly Address[]>;
  /** Returns the check as a `lookup` of Node. Node does not call it for an IP literal: give such libraries a name, or a socket of `connect`. */
  lookup(port: number): LookupFunction;
  /** Checks what can be checked without DNS, for the validation of an address when it is saved. */
  checkLiteral(target: Target): void;
}

// getaddrinfo occupies a thread of the pool that password hashing, signing and files need as well. Name servers that are slow on purpose may hold two of these
// threads, not all.
const DNS_AT_ONCE = 2;
const DNS_WAITING = 512;
/** The minimum time until a name is refused, so that an internal name takes as long as one that does not exist. */
const REFUSAL_MS = 200;

/** Tells whether the name cannot exist (RFC 6761 §6.4), so that no name server is asked. */
const isInvalid = (host: string) => /(^|\.)invalid\.?$/i.test(host);

export function createGuard(options: { allowedHosts: readonly string[]; allowLoopback: boolean; resolve?: Resolve }): Guard {
  const permits = readAllowances(options.allowedHosts);
  const lookups = createSemaphore({ permits: DNS_AT_ONCE, maxWaiting: DNS_WAITING });
  const resolve: Resolve =
    options.resolve ?? (async (host) => (isInvalid(host) ? [] : lookups.run(() => dns.lookup(host, { all: true, verbatim: true }))));

  const mayReach = (address: string, { host, port }: Target): boolean =>
    isPublicAddress(address) ||
    (options.allowLoopback && isLoopbackAddress(address)) ||
    permits.some((allowed) => (allowed.port === null || allowed.port === port) && allowed.covers(host, plainAddress(address)));

  const addresses = async (target: Target): Promise<readonly Address[]> => {
    const { host } = target;
    const family = isIP(host);
    const began = performance.now();
    try {
      const found = family ? [{ address: host, family }] : await ask(resolve, host);
      // A bad address among good ones may be an attempt to have it tried second, so the whole answer is refused.
      for (const { address } of found) {
        if (!isIP(address) || !mayReach(address, target)) throw new OutboundError("blocked_address", host);
      }
      return found;
    } catch (error) {
      if (!family && !options.resolve) await delay(Math.max(0, REFUSAL_MS - (performance.now() - began)), undefined, { ref: false });
      throw error;
    }
  };

  return {
    addresses,
    lookup: (port) => (hostname, lookupOptions, callback) => {
      Promise.resolve()
        .then(() => addresses({ host: canonicalHost(hostname), port }))
        .then(
          (found) => (lookupOptions.all ? callback(null, [...found]) : callback(null, found[0]!.address, found[0]!.family)),
          (error: Error) => callback(error, lookupOptions.all ? [] : ""),
        );
    },
    checkLiteral(target) {
      if (isIP(target.host) && !mayReach(target.host, target)) throw new OutboundError("blocked_address", target.host);
    },
  };
}

async function ask(resolve: Resolve, host: string): Promise<readonly Address[]> {
  const found = await resolve(host).catch((cause: unknown) => {
    throw new OutboundError("dns", host, cause);
  });
  if (found.length === 0) throw new OutboundError("dns", host);
  return found;
}

interface Permit {
  readonly port: number | null;
  covers(host: string, address: string): boolean;
}

/** Reads the list of allowed hosts. A name is trusted whatever it resolves to; an address or block is trusted under any name. */
function readAllowances(entries: readonly string[]): readonly Permit[] {
  return entries.map(parseAllowance).map((allowed): Permit => {
    if (allowed.kind === "name") return { port: allowed.port, covers: (host) => host === allowed.name };
    const set: BlockList = addressSet([allowed.cidr]);
    return { port: allowed.port, covers: (_host, address) => inSet(set, address) };
  });
}
