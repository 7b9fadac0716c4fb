import { hash } from "node:crypto";
import { setMaxListeners } from "node:events";
import type { LookupFunction, Socket } from "node:net";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import type { Agent, buildConnector } from "undici";
import { createLru } from "../../kernel/lru.ts";
import { OutboundError } from "./errors.ts";
import { type OutboundRequest, type OutboundResponse, send } from "./fetch.ts";
import { type Address, createGuard, type Resolve } from "./guard.ts";
import {
  type ConnectOptions,
  createDialler,
  createUpgrader,
  type Dial,
  type DialRules,
  type Trusted,
  type UpgradeOptions,
} from "./sockets.ts";
import { canonicalHost, checkPort, parseTarget } from "./targets.ts";

export interface OutboundOptions {
  /** Hosts that may be reached although they are not public: `host`, `host:port`, an address or a CIDR block. */
  readonly allowedHosts: readonly string[];
  /** True in development mode: this machine itself may be called, also without TLS. */
  readonly allowLoopbackHttp: boolean;
  /** PEM certificates that are trusted in addition to the public ones. */
  readonly ca?: string;
  readonly resolve?: Resolve;
  /** The most connections to one peer. */
  readonly connections?: number;
}

export interface Outbound {
  fetch(url: string | URL, request?: OutboundRequest): Promise<OutboundResponse>;
  /** Returns a connected socket (a TLSSocket with `tls`), which the caller owns and ends. */
  connect(options: ConnectOptions): Promise<Socket>;
  /** Starts TLS on such a socket. If that fails, the socket is destroyed. */
  upgrade(socket: Socket, options: UpgradeOptions): Promise<Socket>;
  /** Throws for a URL that `fetch` would refuse, as far as this is known without DNS: for validation when it is saved. */
  checkUrl(url: string | URL, rules?: { requireHttps?: boolean }): void;
  /** Checks the target of `connect`. A connection without TLS is allowed only in development. */
  checkHost(target: { readonly host: string; readonly port: number; readonly tls: boolean }): void;
  /** Returns the checked addresses of a host. */
  resolve(host: string, port: number): Promise<readonly Address[]>;
  /** Returns the check for a library that takes a `lookup`. Node calls it for names only, never for IP literals. */
  lookup(port: number): LookupFunction;
  /** The trusted CAs, for a library that upgrades a plain socket (STARTTLS). */
  readonly secureContext: SecureContext;
  /** Waits for running requests, within their time limits. */
  close(): Promise<void>;
}

// An idle connection is closed before most servers would close it.
const POOL = { maxOrigins: 512, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 10_000, maxHeaderSize: 16 * 1024 };

export function createOutbound(options: OutboundOptions): Outbound {
  const guard = createGuard({
    allowedHosts: options.allowedHosts,
    allowLoopback: options.allowLoopbackHttp,
    ...(options.resolve && { resolve: options.resolve }),
  });
  let secureContext: SecureContext | undefined;
  const ofPeers = createLru<SecureContext>(100);
  const usual = options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] };
  const trusted: Trusted = (ca, identity) => {
    if (ca !== undefined || identity) {
      const key = hash("sha256", JSON.stringify([ca, identity?.cert, identity?.key]), "base64url");
      const context =
        ofPeers.get(key) ?? createSecureContext({ minVersion: "TLSv1.2", ...(ca === undefined ? usual : { ca }), ...identity });
      ofPeers.set(key, context);
      return context;
    }
    secureContext ??= createSecureContext({ minVersion: "TLSv1.2", ...usual });
    return secureContext;
  };
  // Loading the root certificates is slow, so it is deferred. An unreadable configured authority makes the start fail.
  if (options.ca !== undefined) trusted();
  const dial = createDialler(guard, trusted);
  // There are two pools, because a connection is checked when it opens: one that was opened for a caller that allows plain http must not serve a caller that
  // does not.
  const closing = new AbortController();
  // Each connection that is being opened adds a listener, so there is no limit.
  setMaxListeners(0, closing.signal);
  // The limit of connections per peer.
  const connections = options.connections ?? 8;
  let pools: Promise<Record<"strict" | "plain", Agent>> | undefined;
  // undici is loaded by the first request, so that a start need not wait for it.
  const opened = () => {
    pools ??= import("undici").then(({ Agent: Pool }) => ({
      strict: new Pool({ ...POOL, connections, connect: connector(dial, { onlyLoopback: true }, closing.signal) }),
      plain: new Pool({ ...POOL, connections, connect: connector(dial, {}, closing.signal) }),
    }));
    return pools;
  };
  const running = new Set<Promise<unknown>>();

  const prepare = (written: string | URL, requireHttps: boolean) => {
    const { url, target } = parseTarget(written);
    // Only DNS tells whether a name is loopback, so the connector decides. Outside of development nothing depends on it.
    if (url.protocol === "http:" && requireHttps && !options.allowLoopbackHttp) throw new OutboundError("scheme", target.host);
    return { url, target };
  };

  return {
    async fetch(written, request = {}) {
      const requireHttps = request.requireHttps ?? true;
      const { url, target } = prepare(written, requireHttps);
      if (closing.signal.aborted) throw new OutboundError("connect", target.host, closing.signal.reason);
      const exchange = opened().then(({ strict, plain }) => send(requireHttps ? strict : plain, url, target.host, request));
      running.add(exchange);
      return exchange.finally(() => running.delete(exchange));
    },
    connect: (connectOptions) => dial(connectOptions),
    upgrade: createUpgrader(trusted),
    checkUrl(written, { requireHttps = true } = {}) {
      guard.checkLiteral(prepare(written, requireHttps).target);
    },
    checkHost({ host: written, port, tls }) {
      const host = canonicalHost(written);
      if (!tls && !options.allowLoopbackHttp) throw new OutboundError("scheme", host);
      guard.checkLiteral({ host, port: checkPort(port, host) });
    },
    async resolve(written, port) {
      const host = canonicalHost(written);
      return guard.addresses({ host, port: checkPort(port, host) });
    },
    lookup: guard.lookup,
    get secureContext() {
      return trusted();
    },
    async close() {
      await Promise.allSettled(running);
      // Connections of aborted requests would block the shutdown.
      closing.abort(new Error("The server is shutting down"));
      const open = await pools;
      await Promise.all([open?.strict.destroy(), open?.plain.destroy()]);
    },
  };
}

/** Opens undici's connections by our dialler. undici's `servername` is ignored, because it follows the Host header, which a caller can set. */
function connector(dial: Dial, plainHttp: DialRules, signal: AbortSignal): buildConnector.connector {
  return ({ hostname, port, protocol }, callback) => {
    const tls = protocol === "https:";
    const at = { host: hostname, port: port === "" ? (tls ? 443 : 80) : Number(port), tls, alpn: ["http/1.1"], signal };
    dial(at, tls ? {} : plainHttp).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}
