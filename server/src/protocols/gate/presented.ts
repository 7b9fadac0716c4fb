import type { FastifyRequest } from "fastify";
import type { PresentedToken } from "../proof/index.ts";

/** Returns the scheme of `Authorization` in lower case, or null if there is none. */
export const schemeOf = ({ headers }: Pick<FastifyRequest, "headers">): string | null =>
  /^([^\s]+)/.exec(headers.authorization ?? "")?.[1]?.toLowerCase() ?? null;

/** RFC 6750 §2.1, RFC 9449 §7.1: returns the token in `Authorization`, or null if it is absent or malformed. */
export function tokenInHeader({ headers }: Pick<FastifyRequest, "headers">): PresentedToken | null {
  const [, scheme, token] = /^(Bearer|DPoP) +([A-Za-z0-9._~+/-]+=*)$/i.exec(headers.authorization ?? "") ?? [];
  return scheme && token ? { scheme: scheme.toLowerCase() as PresentedToken["scheme"], token } : null;
}

/** Returns the JWS of an enrolled device in `Authorization`, or an empty text if it is malformed. */
export const deviceProofIn = ({ headers }: Pick<FastifyRequest, "headers">): string =>
  /^Device +([A-Za-z0-9._-]+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";

const accepts = ({ headers }: Pick<FastifyRequest, "headers">, type: RegExp) => type.test(headers.accept ?? "");

/** Tells whether the caller gets a page or JSON: browsers accept `text/html`; programs send a token or accept JSON. */
export function wantsPage(request: Pick<FastifyRequest, "headers">, otherwise: "page" | "problem"): boolean {
  if (["bearer", "dpop", "device"].includes(schemeOf(request) ?? "")) return false;
  if (accepts(request, /text\/html/)) return true;
  return otherwise === "page" && !accepts(request, /\bjson\b/);
}
