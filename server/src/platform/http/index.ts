// The HTTP side of the platform: the server, strict bodies, problem+json, replies, records, and the unit of work of each request.
// Routes import it. Services and stores import `platform/paging`, `versions.ts` and `full-state.ts`.
export { parseJson, refuseDirtyText, refuseUnknownBody, refuseUnreadableParameters } from "./bodies.ts";
export { allowSlowBody } from "./client-errors.ts";
export { collectionRoutes } from "./collections.ts";
export { type CompiledSchemas, compiledSchemas } from "./compiled-schemas.ts";
export { crudRoutes } from "./crud.ts";
export {
  anonymous,
  anyOf,
  bearer,
  browser,
  type Caller,
  callersOf,
  client,
  declare,
  device,
  type ErrorForm,
  isWrite,
  link,
  negotiated,
  registration,
  type SessionCaller,
  session,
  token,
} from "./declarations.ts";
export { documentOf, type PublishedDocument, publish, publishOne, samlMetadataOf } from "./documents.ts";
export {
  bodyAsRead,
  complete,
  flagMember,
  member,
  namesOf,
  nullable,
  nullableMember,
  optional,
  schemasOf,
  type ValuesOf,
} from "./members.ts";
export { answerProblem, asAppError, logFailure, logShownError, notFound, Problem, sendProblem } from "./problem.ts";
export { type Operation, type Routes, recordRoutes, textsOf } from "./records.ts";
export { answerConditionally, created, createdAt, noContent, noContentAnswer, paged, pathParams, versioned } from "./replies.ts";
export { unitOfWorkPlugin } from "./requests.ts";
export { callRoute, route } from "./route.ts";
export {
  creationTime,
  field,
  fitsSchema,
  lineText,
  NO_DOT_SEGMENT,
  oneOf,
  page,
  pathName,
  redirect,
  refuseUnknownQuery,
  shownText,
  time,
  visibleName,
  visiblePathName,
} from "./schemas.ts";
export { methodNotAllowed, type ServedPath } from "./served-paths.ts";
export { type App, createServer } from "./server.ts";
export { streamBodies } from "./streamed-bodies.ts";
export { buildValidator, PLAINLY, toFieldErrors } from "./validation.ts";
