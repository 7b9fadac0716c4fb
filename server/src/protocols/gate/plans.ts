import type { FastifyContextConfig } from "fastify";
import { oncePer } from "../../kernel/once.ts";
import { type Caller, callersOf, type SessionCaller } from "../../platform/http/index.ts";
import type { Audience } from "./access-token.ts";
import type { Callers } from "./callers.ts";

/** The gate's plan for a route. */
export interface Plan {
  /** True if nothing has to be authenticated, counted or negotiated before the body is read. */
  readonly isOpen: boolean;
  /** True if the response is the caller's own, and must not be cached. */
  readonly isPrivate: boolean;
  /** True if the route takes an opaque token in the header. */
  readonly opaqueToken: boolean;
  readonly device: boolean;
  /** The kind of token with permissions that the route takes. */
  readonly permissionToken: string | undefined;
  /** True if the route reads the cookies of a browser. */
  readonly visitor: boolean;
  readonly session: SessionCaller | undefined;
  readonly checksBody: boolean;
  /** The audience whose access token may be in the form. */
  readonly tokenInForm: Audience | undefined;
  readonly byClient: boolean;
  /** True if writes have their CSRF token in the form. */
  readonly formToken: boolean;
}

export const bringsOpaqueToken = (caller: Caller) => caller.by === "registration" || (caller.by === "link" && caller.in === "header");

/** Creates the plans, which are derived from a declaration at its first request. */
export const createPlans = ({ acceptedBy }: Callers) =>
  oncePer((config: FastifyContextConfig): Plan => {
    const callers = callersOf(config);
    const { csrf, errors, limit, recentAuthentication = false } = config;
    const has = (by: Caller["by"]) => callers.some((caller) => caller.by === by);
    const { audience, session } = acceptedBy(config);
    const tokenInForm = audience?.takesForm ? audience : undefined;
    const byClient = callers.some((caller) => caller.by === "client" && caller.in === undefined);
    const formToken = csrf !== undefined && csrf !== "none" && csrf !== "header";
    const isOpen =
      callers.every(({ by }) => by === "anonymous" || by === "client") &&
      (errors === "oauth" || errors === "problem") &&
      limit === undefined &&
      !recentAuthentication;
    return {
      isOpen,
      isPrivate: !has("anonymous") && !has("client"),
      opaqueToken: callers.some(bringsOpaqueToken),
      device: has("device"),
      permissionToken: callers.find((caller) => caller.by === "token")?.kind,
      visitor: session !== undefined || has("browser") || has("link"),
      session,
      checksBody: tokenInForm !== undefined || byClient || formToken,
      tokenInForm,
      byClient,
      formToken,
    };
  });
