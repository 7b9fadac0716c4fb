/** The form of errors; undefined stands for problem+json. */
export type RefusalForm = "page" | "oauth" | "scim" | "authzen" | "page-or-problem";

/** The parts of an OpenAPI 3.1 document that are changed here. All others are unknown. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; [member: string]: unknown };
  tags?: { name: string; description?: string }[];
  paths: Record<string, PathItem>;
  components: { schemas: Record<string, Schema>; [kind: string]: Record<string, unknown> };
  [member: string]: unknown;
}

export const methods = ["get", "post", "put", "patch", "delete"] as const;
export type Method = (typeof methods)[number];
export type PathItem = Partial<Record<Method, Operation>>;

export interface Reference {
  $ref: string;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }>; required?: boolean };
  responses: Record<string, Response | Reference>;
  security?: Record<string, string[]>[];
  "x-permission"?: string | string[];
  "x-realm"?: string;
  /** Tells whether the record has a version. It is not published, only the headers that follow from it. */
  "x-versioned"?: boolean;
  /** These are not published, only the refusals that follow from them. */
  "x-refusals"?: RefusalForm;
  "x-limited"?: boolean;
  "x-served-always"?: boolean;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

export interface Response {
  description: string;
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: Schema }>;
}

export interface Schema {
  type?: string | string[];
  $ref?: string;
  anyOf?: Schema[];
  examples?: unknown[];
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}

export const isReference = (value: object): value is Reference => "$ref" in value;

export const operationsOf = (item: PathItem): [Method, Operation][] =>
  methods.flatMap((method) => (item[method] ? [[method, item[method]] as [Method, Operation]] : []));
