// The client of the admin API: typed by the OpenAPI document, with CSRF, ETags, problems and paging.
export { type Api, type ApiOptions, createApi, type ListResult, type RequestOptions, type Result } from "./client.ts";
export { ApiProblem, type FieldError, type Problem } from "./problem.ts";
export type { components, operations, paths } from "./schema.d.ts";
