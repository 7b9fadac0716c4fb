import { isIP, type LookupFunction, connect as netConnect, type Socket } from "node:net";
import { type ConnectionOptions, checkServerIdentity, type SecureContext, connect as tlsConnect } from "node:tls";
import { isLoopbackAddress } from "./addresses.ts";
import { OutboundError, toOutboundError } from "./errors.ts";
import type { Address, Guard } from "./guard.ts";
import { canonicalHost, checkPort } from "./targets.ts";

export interface ConnectOptions {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. Without it the socket is plain, for STARTTLS: see `Outbound.secureContext`. */
  readonly tls?: boolean;
  /** The name that the certificate must contain, if it is not `host`. */
  readonly servername?: string;
  readonly alpn?: readonly string[];
  /** PEM certificates of the authorities that are trusted for this peer, instead of the public ones. */
  readonly ca?: string;
  /** Our own certificate, for a peer that requires one. */
  readonly identity?: ClientIdentity;
  /** The limit for lookup, connection and handshake together. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** A certificate with its chain, and its private key, in PEM. */
export interface ClientIdentity {
  readonly cert: string;
  readonly key: string;
}

/** Options for upgrading a plain socket of `connect` to TLS (STARTTLS). */
export type UpgradeOptions = Pick<ConnectOptions, "host" | "servername" | "ca" | "identity" | "timeoutMs">;

const CONNECT_TIMEOUT_MS = 10_000;

/** A dialler's requirements beyond the guard's check. */
export interface DialRules {
  readonly onlyLoopback?: boolean;
}

/** Returns the trusted authorities (those of one peer or the default roots), with our own certificate if one is given. */
export type Trusted = (ca?: string, identity?: ClientIdentity) => SecureContext;

/** Returns the options of every handshake, from the first byte or after STARTTLS. */
function handshake(
  trusted: Trusted,
  host: string,
  { servername = host, ca, identity }: Pick<ConnectOptions, "servername" | "ca" | "identity">,
): ConnectionOptions {
  return {
    secureContext: trusted(ca, identity),
    // This is set explicitly, because an environment variable can otherwise turn it off for the whole process.
    rejectUnauthorized: true,
    // RFC 6066 §3: an address is never sent as the server's name, but the certificate must still contain it.
    ...(isIP(servername) ? {} : { servername }),
    checkServerIdentity: (_name, certificate) => checkServerIdentity(servername, certificate),
  };
}

/** Starts TLS on a plain socket. Every failure destroys the socket, so nothing is sent in the clear afterwards. */
export const createUpgrader = (trusted: Trusted) =>
  async function upgrade(socket: Socket, options: UpgradeOptions): Promise<Socket> {
    const host = canonicalHost(options.host);
    const deadline = startDeadline(host, options.timeoutMs ?? CONNECT_TIMEOUT_MS, undefined);
    try {
      const secured = tlsConnect({ socket, ...handshake(trusted, host, options) });
      await deadline.race(connected(secured, "secureConnect"), () => secured.destroy());
      return secured;
    } catch (error) {
      socket.destroy();
      throw toOutboundError(error, host);
    } finally {
      deadline.stop();
    }
  };

/** Opens connections to checked addresses only. */
export function createDialler(guard: Guard, trusted: Trusted) {
  return async function dial(options: ConnectOptions, rules: DialRules = {}): Promise<Socket> {
    const host = canonicalHost(options.host);
    const port = checkPort(options.port, host);
    const deadline = startDeadline(host, options.timeoutMs ?? CONNECT_TIMEOUT_MS, options.signal);
    try {
      const addresses = await deadline.race(guard.addresses({ host, port }));
      if (rules.onlyLoopback && !addresses.every(({ address }) => isLoopbackAddress(address))) throw new OutboundError("scheme", host);
      // The socket connects to the checked address. There is no second DNS query, whose result could differ.
      const to = {
        host,
        port,
        lookup: pinned(addresses),
        autoSelectFamily: true,
        autoSelectFamilyAttemptTimeout: 1_000,
        noDelay: true,
        keepAlive: true,
      };
      const socket = options.tls
        ? tlsConnect({
            ...to,
            ...handshake(trusted, host, options),
            ...(options.alpn && { ALPNProtocols: [...options.alpn] }),
          })
        : netConnect(to);
      await deadline.race(connected(socket, options.tls ? "secureConnect" : "connect"), () => socket.destroy());
      return socket;
    } catch (error) {
      throw options.signal?.aborted ? options.signal.reason : toOutboundError(error, host);
    } finally {
      deadline.stop();
    }
  };
}

export type Dial = ReturnType<typeof createDialler>;

const pinned =
  (addresses: readonly Address[]): LookupFunction =>
  (_hostname, { all }, callback) =>
    all ? callback(null, [...addresses]) : callback(null, addresses[0]!.address, addresses[0]!.family);

const connected = (socket: Socket, event: "connect" | "secureConnect") =>
  new Promise<void>((resolve, reject) => {
    // The listener stays until the caller can have added its own: a reset in between must not end the process.
    socket.once(event, () => {
      setImmediate(() => socket.off("error", reject));
      resolve();
    });
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("closed before it was ready")));
  });

/** Starts one time limit for several steps. `cleanUp` runs if the limit or the step fails. */
function startDeadline(peer: string, ms: number, signal: AbortSignal | undefined) {
  let expire: (error: unknown) => void = () => {};
  const expired = new Promise<never>((_resolve, reject) => {
    expire = reject;
  });
  expired.catch(() => {});
  const onAbort = () => expire(signal?.reason);
  const timer = setTimeout(() => expire(new OutboundError("timeout", peer)), ms);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    async race<T>(work: Promise<T>, cleanUp?: () => void): Promise<T> {
      try {
        return await Promise.race([work, expired]);
      } catch (error) {
        // A late failure of the step is ignored.
        work.catch(() => {});
        cleanUp?.();
        throw error;
      }
    },
    stop() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
