import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { isMailAddress } from "../../kernel/text.ts";
import { isReference, type OpenApiDocument, type Operation, type Reference, type Response } from "../../operations/api-docs/index.ts";
import { PLAINLY } from "../../platform/http/index.ts";
import type { Answer } from "../browser.ts";

/** Compares answers with the document. Returns null for an answer as declared, otherwise what is wrong. */
export function declarations(api: OpenApiDocument) {
  const ajv = new Ajv2020({ ...PLAINLY, strict: false, allErrors: true, validateFormats: true });
  (addFormats as unknown as typeof addFormats.default)(ajv).addFormat("idn-email", isMailAddress);
  ajv.addSchema({ $id: "api", components: api.components });
  // The functions are kept by the text of their schema, because the errors of most operations have the same one.
  const compiled = new Map<string, ValidateFunction>();
  const validators = new Map<object, ValidateFunction>();
  const validatorOf = (schema: object): ValidateFunction => {
    const known = validators.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    const made = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, made);
    validators.set(schema, made);
    return made;
  };
  const resolved = (answer: Response | Reference): Response =>
    isReference(answer) ? (api.components.responses![answer.$ref.split("/").at(-1)!] as Response) : answer;

  return ({ responses }: Operation, { status, headers, text, body }: Answer): string | null => {
    if (status >= 500) return `${status} ${text.slice(0, 200)}`;
    const declared = responses[status] ?? responses[`${String(status)[0]}XX`];
    if (!declared) return `${status} is not declared: ${text.slice(0, 200)}`;
    const { content = {} } = resolved(declared);
    const mediaType = String(headers["content-type"] ?? "").split(";")[0]!;
    if (text === "")
      return Object.keys(content).length === 0 || status === 304 ? null : `${status} has no body, ${Object.keys(content)} is declared`;
    const found = content[mediaType];
    if (!found) return `${status} is ${mediaType}, declared is ${Object.keys(content).join(" or ") || "no body"}`;
    if (!mediaType.endsWith("json")) return null;
    const fits = validatorOf(found.schema);
    if (fits(body)) return null;
    const [error] = fits.errors!;
    return `${status} does not fit its schema: ${error!.instancePath || "the body"} ${error!.message} ${JSON.stringify(error!.params)}`;
  };
}
