import { parse } from "node:querystring";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { oauthErrors } from "../../kernel/oauth-error.ts";
import { refuseDeepParameters } from "../../platform/http/index.ts";

export const FORM = "application/x-www-form-urlencoded";

const BODY_LIMIT = 56 * 1024;

/** Forms stay raw: each reader parses them, and refuses any other body itself. */
export function takeForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORM, { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (_request, body, done) => done(null, body));
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
}

/** RFC 6749 §3.2: parameters are sent in a form. JSON and tokens among them are not nested deeper than they may be read. */
export function formOf({ headers, body, routeOptions }: FastifyRequest): Readonly<Record<string, string | string[] | undefined>> {
  const type = headers["content-type"];
  if (type === undefined) return {};
  if (!Buffer.isBuffer(body)) throw oauthErrors.invalidRequest(`only ${FORM} content-type bodies are supported on ${routeOptions.url}`);
  const form = parse(body.toString(charsetOf(type)));
  refuseDeepParameters(form);
  return form;
}

function charsetOf(type: string): BufferEncoding {
  const [, charset = "utf-8"] = /charset="?([^";\s]+)/i.exec(type) ?? [];
  if (/^(utf-?8|us-ascii)$/i.test(charset)) return "utf8";
  if (/^iso-8859-1$/i.test(charset)) return "latin1";
  throw oauthErrors.invalidRequest("the form must be sent as UTF-8");
}
