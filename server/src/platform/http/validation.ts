import { Ajv, type ErrorObject } from "ajv";
import addFormats from "ajv-formats";
import type { FastifySchemaValidationError } from "fastify";
import type { FieldError } from "../../kernel/errors.ts";
import { isMailAddress, isShownLine, wholeNumber } from "../../kernel/text.ts";
import type { CompiledSchemas } from "./compiled-schemas.ts";
import { SHOWN } from "./schemas.ts";

// ajv-formats is CommonJS; its default export arrives wrapped.
const formats = addFormats as unknown as typeof addFormats.default;

/** Options of ajv here and in serializers. Optimising the text of its functions doubles the time to make them, and V8 runs both texts equally fast. */
export const PLAINLY = { code: { optimize: false } } as const;

const strict = {
  ...PLAINLY,
  allErrors: true,
  removeAdditional: false,
  useDefaults: true,
  strict: false,
  discriminator: true,
  verbose: true,
  // A test validates the schemas, so a start does not have to.
  validateSchema: false,
} as const;

interface Validate {
  (data: unknown): boolean;
  errors?: unknown;
}

/**
 * Builds the validators. Bodies are taken as they are (no coercion, unknown members refused); query strings are texts, so their numbers and flags are
 * read first. A schema is compiled when its route is first used: compiling all of them took more than half of a start.
 */
export function buildValidator(shared: Record<string, unknown>, compiled?: CompiledSchemas) {
  const make = () => {
    const ajv = formats(new Ajv(strict)).addFormat("idn-email", isMailAddress);
    ajv.addKeyword({ keyword: SHOWN, type: "string", validate: (_: true, text: string) => isShownLine(text) });
    for (const schema of Object.values(shared)) ajv.addSchema(schema as object);
    return ajv;
  };
  let made: Ajv | undefined;
  const compile = (schema: object): Validate => {
    const compileAnew = () => {
      made ??= make();
      return made.compile(schema);
    };
    return compiled ? compiled.get("validate", schema, shared, compileAnew) : compileAnew();
  };
  return ({ schema, httpPart }: { schema: unknown; httpPart?: string | undefined }) => {
    const readTexts = httpPart === "querystring" ? textReader(schema as QuerySchema) : undefined;
    let check: Validate | undefined;
    const validate: Validate = (data) => {
      check ??= compile(schema as object);
      readTexts?.(data as Record<string, unknown>);
      const valid = check(data);
      validate.errors = check.errors;
      return valid;
    };
    return validate as never;
  };
}

interface QuerySchema {
  readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

/** Returns a function that replaces the texts of a query by the integers and flags that its schema expects. Other texts remain, and the schema refuses them. */
function textReader({ properties = {} }: QuerySchema): ((query: Record<string, unknown>) => void) | undefined {
  const members = Object.entries(properties).filter(([, { type }]) => type === "integer" || type === "boolean");
  if (members.length === 0) return undefined;
  return (query) => {
    for (const [name, { type }] of members) {
      const text = query[name];
      if (typeof text === "string") query[name] = (type === "boolean" ? FLAGS.get(text) : wholeNumber(text)) ?? text;
    }
  };
}

/** The most fields that an error reports: a megabyte of wrong members must not produce ten megabytes of errors. */
const MAX_FIELDS = 200;

/** Translates ajv's errors: one entry per offending field. */
export function toFieldErrors(errors: readonly FastifySchemaValidationError[], context: string | undefined): FieldError[] {
  const explained = pathsAbove(errors.filter((error) => !isSummary(error)));
  const explainedElsewhere = pathsAbove(errors.filter((error) => !isSummary(error) && !isNullBranch(error)));
  const seen = new Map<string, FieldError>();
  for (const error of errors as unknown as ErrorObject[]) {
    if (seen.size === MAX_FIELDS) break;
    // A failed `anyOf` is reported by the errors of its alternatives. If these have none, its own error is reported.
    if (isSummary(error) && explained.has(error.instancePath)) continue;
    // If a member may be null, the fault is not that it is not null: the error of its other alternative says what is wrong.
    if (isNullBranch(error) && explainedElsewhere.has(error.instancePath)) continue;
    const field = fieldOf(error) || (context ?? "body");
    if (!seen.has(field)) seen.set(field, { field, code: codeOf(error), message: messageOf(error, field) });
  }
  return [...seen.values()];
}

const isSummary = ({ keyword }: { keyword: string }) => keyword === "anyOf" || keyword === "if";
const isNullBranch = ({ keyword, params }: FastifySchemaValidationError | ErrorObject) => keyword === "type" && params.type === "null";

/** Returns the paths with an error at or below them. */
function pathsAbove(errors: readonly FastifySchemaValidationError[]): ReadonlySet<string> {
  const paths = new Set<string>();
  for (let { instancePath: path } of errors) {
    for (; !paths.has(path); path = path.slice(0, path.lastIndexOf("/"))) {
      paths.add(path);
      if (path === "") break;
    }
  }
  return paths;
}

const pathOf = (pointer: string) =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".");

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = pathOf(instancePath);
  const member =
    keyword === "required" ? params.missingProperty : keyword === "additionalProperties" ? params.additionalProperty : undefined;
  return member === undefined ? path : path ? `${path}.${member}` : String(member);
}

const codes: Record<string, string> = {
  additionalProperties: "unknown",
  [SHOWN]: "pattern",
  minLength: "too_short",
  maxLength: "too_long",
  minItems: "too_few",
  maxItems: "too_many",
};
const codeOf = ({ keyword }: ErrorObject): string => codes[keyword] ?? keyword;

function messageOf({ keyword, params, parentSchema }: ErrorObject, field: string): string {
  switch (keyword) {
    case "required":
      return `${field} is required`;
    case "additionalProperties":
      // The names of these members are free but must match a pattern.
      return parentSchema?.patternProperties ? `${field} is not a name that is accepted here` : `${field} is not a known member`;
    case "type":
      return `${field} must be ${article(String(params.type))}`;
    case "format":
      if (params.format === "idn-email") return `${field} must be one address that mail can be sent to, such as ada@example.com`;
      return `${field} is not a valid ${params.format}`;
    case "minLength":
      return params.limit === 1 ? `${field} must not be empty` : `${field} must have at least ${params.limit} characters`;
    case "maxLength":
      return `${field} must have at most ${params.limit} characters`;
    case "enum":
      return `${field} must be one of: ${(params.allowedValues as unknown[]).join(", ")}`;
    case "pattern":
    case SHOWN:
      return (parentSchema?.description as string | undefined) ? `${field}: ${parentSchema?.description}` : `${field} has the wrong form`;
    case "minimum":
      return `${field} must be at least ${params.limit}`;
    case "maximum":
      return `${field} must be at most ${params.limit}`;
    case "minItems":
      return params.limit === 1 ? `${field} must have an entry` : `${field} must have at least ${params.limit} entries`;
    case "maxItems":
      return `${field} must have at most ${params.limit} entries`;
    case "minProperties":
      return params.limit === 1 ? `${field} must have a member` : `${field} must have at least ${params.limit} members`;
    case "maxProperties":
      return `${field} must have at most ${params.limit} members`;
    case "uniqueItems":
      return `${field} must not have an entry twice`;
    case "const":
      return `${field} must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return `${field} is not valid`;
  }
}

const article = (type: string) =>
  type
    .split(",")
    .map((name) => (name === "null" ? name : `${/^[aeio]/.test(name) ? "an" : "a"} ${name}`))
    .join(" or ");
