import type { FastifyContextConfig } from "fastify";
import { oncePer } from "../../kernel/once.ts";
import { callersOf } from "../../platform/http/index.ts";
import type { Audience } from "./access-token.ts";
import type { Callers } from "./callers.ts";

/** What the gate does for a route. */
interface Plan {
  /** Nothing to authenticate, count or negotiate before the body is read. */
  readonly isOpen: boolean;
  readonly checksBody: boolean;
  /** The audience whose access token may be in the form. */
  readonly tokenInForm: Audience | undefined;
  readonly byClient: boolean;
  /** Writes have their CSRF token in the form. */
  readonly formToken: boolean;
}

/** Derived from a declaration at its first request. */
export const createPlans = ({ audienceOf }: Callers) =>
  oncePer((config: FastifyContextConfig): Plan => {
    const callers = callersOf(config);
    const { csrf, errors, limit, recentAuthentication = false } = config;
    const tokenInForm = callers.map(audienceOf).find((audience) => audience?.takesForm);
    const byClient = callers.some((caller) => caller.by === "client" && caller.in === undefined);
    const formToken = csrf !== undefined && csrf !== "none" && csrf !== "header";
    const isOpen =
      callers.every(({ by }) => by === "anonymous" || by === "client") &&
      (errors === "oauth" || errors === "problem") &&
      limit === undefined &&
      !recentAuthentication;
    return { isOpen, tokenInForm, byClient, formToken, checksBody: tokenInForm !== undefined || byClient || formToken };
  });
