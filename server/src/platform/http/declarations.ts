import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";

/**
 * The declaration of a route below `/realms/:realm`, as plain data: its caller, CSRF protection, rate limit and form of errors. `protocols/gate`
 * enforces it; with an undeclared route the server does not start.
 */
export type Caller =
  /** A caller without authentication. */
  | { readonly by: "anonymous" }
  /** A browser, signed in or not: `request.visitor`. */
  | { readonly by: "browser" }
  | SessionCaller
  /** An access token (RFC 6750, RFC 9449) that names this audience: `request.accessToken` and `request.client`. */
  | { readonly by: "bearer"; readonly audience: string }
  /** A client that authenticates itself (RFC 6749 §2.3). If `in` names a step, that step authenticates it. */
  | { readonly by: "client"; readonly in?: "pipeline" | "engine" }
  /**
   * The holder of a mailed or single-use token, which the service checks. The token is in the path or the form of a page (`request.visitor`), or in the header
   * (`request.presentedToken`).
   */
  | { readonly by: "link"; readonly in?: "header" }
  /** An initial or registration access token (RFC 7591, RFC 7592), which the service checks: `request.presentedToken`. */
  | { readonly by: "registration" }
  /** An enrolled device, by `Authorization: Device`: `request.device`. */
  | { readonly by: "device" }
  /**
   * An opaque token of this kind, which an administrator created and which has permissions of its own. The gate enforces the route's
   * `permission`, and records its writes as those of the admin API.
   */
  | { readonly by: "token"; readonly kind: string };

/** The realm's own session. Without one, a page redirects to the sign-in and back. */
export interface SessionCaller {
  readonly by: "session";
  /** Accepts the session on pages only: API callers need a token. */
  readonly onlyPages?: boolean;
  /**
   * The session must satisfy what the realm's own flow now requires of its user, or the user signs in again. With `by-handler` the handler, which knows the
   * client, requires what the client's flow needs instead.
   */
  readonly judged?: "by-handler";
  /** Returns the page to show after the sign-in. The default is the requested one. */
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
export const token = ({ kind }: { readonly kind: string }): Caller => ({ by: "token", kind });
/** Accepts several callers: what the request presents decides which one it is. (`oneOf` is the helper for schemas.) */
export const anyOf = (...callers: readonly Caller[]): readonly Caller[] => callers;

/**
 * The place of the CSRF token in a write. With `sign-in-form` the form may be older than a session that began in another tab, so tokens of earlier pre-sessions
 * are accepted as well. With `none` there is nothing to protect, or other sites post here by design.
 */
type CsrfRule = "header" | "form" | "sign-in-form" | "form-or-header" | "none";

/** The forms of errors: a page, RFC 9457, RFC 6749 §5.2, RFC 7591 §3.2.2, RFC 7644 §3.12, AuthZEN. app/realm-routes.ts lists the renderer of each. */
export type ErrorForm = "page" | "problem" | "oauth" | "registration" | "scim" | "authzen";

declare module "fastify" {
  interface FastifyContextConfig {
    caller?: Caller | readonly Caller[];
    csrf?: CsrfRule;
    /** Tells which requests need no CSRF token. */
    csrfUnless?: (request: FastifyRequest) => boolean;
    /** Shows the form again if its token is stale. By default the gate shows an error page. */
    // biome-ignore lint/suspicious/noExplicitAny: routes type their own requests
    onStale?: (request: any, reply: any) => unknown;
    /** Names in the table of limits (app/limits.ts). */
    limit?: string | readonly string[];
    errors?: ErrorForm | NegotiatedErrors;
    /** The OAuth error of a request with a method that the path does not have. The default is `invalid_request`. */
    wrongMethod?: string;
    /** The prefix of the gate's error codes. The default is `auth`. */
    codes?: string;
    /** True if the route is also allowed during impersonation. */
    impersonated?: boolean;
  }
}

/** Errors as a page or as problem+json, by the `Accept` header. `otherwise` is the default. */
export interface NegotiatedErrors {
  readonly otherwise: "page" | "problem";
}
export const negotiated = (otherwise: "page" | "problem"): NegotiatedErrors => ({ otherwise });

type Declaration = Pick<FastifyContextConfig, "caller" | "csrf" | "limit" | "errors" | "wrongMethod" | "codes" | "impersonated">;

const FORM = ["application/x-www-form-urlencoded"];

/** The content types that are not accepted, by the place of the CSRF token. A page of another site can send forms and plain text without a preflight. */
const REFUSED_TYPES: Readonly<Partial<Record<CsrfRule, string[]>>> = {
  header: [...FORM, "text/plain"],
  form: ["application/json", "text/plain"],
  "sign-in-form": ["application/json", "text/plain"],
};

/**
 * Declares every route of this plugin. A route's own config overrides the declaration, and its own tags, path parameters and content types override
 * these in the description. Routes that take their CSRF token in a form take forms alone; those that take it in a header take none.
 */
export function declare(
  app: Pick<FastifyInstance, "addHook" | "removeContentTypeParser">,
  { tags, ...declaration }: Declaration & { readonly tags?: readonly string[] },
): void {
  const refused = declaration.csrf && REFUSED_TYPES[declaration.csrf];
  if (refused) app.removeContentTypeParser(refused);
  app.addHook("onRoute", (route) => {
    route.config = { ...declaration, ...route.config };
    const { csrf } = route.config;
    const isForm = route.method === "POST" && (csrf === "form" || csrf === "sign-in-form");
    if (route.schema)
      route.schema = { ...(tags && { tags }), ...(isForm && { consumes: FORM }), params: paramsIn(route.url), ...route.schema };
  });
}

/** Declares the path parameters as texts, for routes that do not describe them. */
const paramsIn = (url: string) => Type.Object(Object.fromEntries([...url.matchAll(/:(\w+)/g)].map(([, name]) => [name!, Type.String()])));

const NONE: readonly Caller[] = [];
/** These lists are cached, because every request reads them several times. */
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
