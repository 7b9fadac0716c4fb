import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";

/**
 * What a route below `/realms/:realm` declares, as plain data: who calls it, how writes prove that they come from our own page, how often
 * it may be called, and in which form it answers errors. `protocols/gate` enforces it; a route that declares no caller keeps the server
 * from starting.
 */
export type Caller =
  /** Anybody, with nothing. */
  | { readonly by: "anonymous" }
  /** A browser, signed in or not: `request.visitor`. */
  | { readonly by: "browser" }
  | SessionCaller
  /** An access token (RFC 6750, RFC 9449) that names this audience: `request.accessToken` and `request.client`. */
  | { readonly by: "bearer"; readonly audience: string }
  /** A client that authenticates itself (RFC 6749 §2.3). Where `in` names a step, that step authenticates it. */
  | { readonly by: "client"; readonly in?: "pipeline" | "engine" }
  /**
   * The holder of a mailed or single-use token, which the service that takes it checks. It stands in the path or the form of a page
   * (`request.visitor`), or in the header (`request.presentedToken`).
   */
  | { readonly by: "link"; readonly in?: "header" }
  /** An initial or registration access token (RFC 7591, RFC 7592), which the service checks: `request.presentedToken`. */
  | { readonly by: "registration" }
  /** An enrolled device, by `Authorization: Device`: `request.device`. */
  | { readonly by: "device" };

/** The realm's own session; without one, a page redirects to the sign-in and back. */
export interface SessionCaller {
  readonly by: "session";
  /** The session counts for pages alone: programs bring a token. */
  readonly onlyPages?: boolean;
  /** Where to come back after signing in; the page's own path, if left out. */
  readonly returnTo?: (request: FastifyRequest) => string;
}

export const anonymous = (): Caller => ({ by: "anonymous" });
export const browser = (): Caller => ({ by: "browser" });
export const session = (options: Omit<SessionCaller, "by"> = {}): Caller => ({ by: "session", ...options });
export const bearer = ({ audience }: { readonly audience: string }): Caller => ({ by: "bearer", audience });
export const client = (options: { readonly in?: "pipeline" | "engine" } = {}): Caller => ({ by: "client", ...options });
export const link = (options: { readonly in?: "header" } = {}): Caller => ({ by: "link", ...options });
export const registration = (): Caller => ({ by: "registration" });
export const device = (): Caller => ({ by: "device" });
/** Any of these, by what the request presents. `oneOf` is a schema's word here. */
export const anyOf = (...callers: readonly Caller[]): readonly Caller[] => callers;

/**
 * Where a write brings the CSRF token back. `sign-in-form`: a form of signing in may be older than a session that began in another tab, so
 * the token of this browser before that counts, too. `none` says that there is nothing to protect, or that others post here by design.
 */
export type CsrfRule = "header" | "form" | "sign-in-form" | "form-or-header" | "none";

/** The forms of errors: a page, RFC 9457, RFC 6749 §5.2, RFC 7591 §3.2.2. app/realm-routes.ts lists the renderer of each. */
export type ErrorForm = "page" | "problem" | "oauth" | "registration";

declare module "fastify" {
  interface FastifyContextConfig {
    caller?: Caller | readonly Caller[];
    csrf?: CsrfRule;
    /** Where no token is needed although the method writes. */
    csrfUnless?: (request: FastifyRequest) => boolean;
    /** How a page answers a form without a token that fits, where it shows the form again; otherwise a page of the gate says so. */
    // biome-ignore lint/suspicious/noExplicitAny: routes type their own requests
    onStale?: (request: any, reply: any) => unknown;
    /** Names in the table of limits (app/limits.ts). */
    limit?: string | readonly string[];
    errors?: ErrorForm | NegotiatedErrors;
    /** What the gate's own error codes begin with; `auth`, if left out. */
    codes?: string;
    /** Open to an administrator who acts as the user, too. */
    impersonated?: boolean;
  }
}

/** A page or problem+json, as the caller asks; `otherwise` where it does not say. */
export interface NegotiatedErrors {
  readonly otherwise: "page" | "problem";
}
export const negotiated = (otherwise: "page" | "problem"): NegotiatedErrors => ({ otherwise });

type Declaration = Pick<FastifyContextConfig, "caller" | "csrf" | "limit" | "errors" | "codes" | "impersonated">;

/** What every route of this plugin declares, unless it says otherwise itself. */
export function declare(app: Pick<FastifyInstance, "addHook">, declaration: Declaration): void {
  app.addHook("onRoute", (route) => {
    route.config = { ...declaration, ...route.config };
  });
}

const NONE: readonly Caller[] = [];
/** Asked several times by every request, so the list of a single caller is made once. */
const single = new WeakMap<Caller, readonly Caller[]>();

export function callersOf({ caller }: Declaration): readonly Caller[] {
  if (caller === undefined) return NONE;
  if (Array.isArray(caller)) return caller;
  const known = single.get(caller as Caller);
  if (known) return known;
  const list = [caller as Caller];
  single.set(caller as Caller, list);
  return list;
}

export const isWrite = ({ method }: Pick<FastifyRequest, "method">): boolean => !["GET", "HEAD", "OPTIONS"].includes(method);
