// The HTTP side of the platform: the server, strict bodies, problem+json, lists, ETags, and the unit of work on each request.
// Features import it for schemas (`ListQuery`, `Problem`) and for the request's `transact` and `read`.
export { parseJson, refuseDeepParameters, refuseDirtyText } from "./bodies.ts";
export { allowSlowBody } from "./client-errors.ts";
export { documentOf, type PublishedDocument, publish } from "./documents.ts";
export { etag, expectVersion } from "./etag.ts";
export { pageOfFew } from "./few.ts";
export { refuseReadOnly } from "./full-state.ts";
export { Instant, instant } from "./instants.ts";
export {
  countUpTo,
  describePage,
  EXACT_TOTAL,
  estimate,
  type ListOrder,
  ListQuery,
  listQuery,
  type Page,
  pageOf,
  refuseTooDeep,
} from "./lists.ts";
export { asAppError, logFailure, notFound, Problem, sendProblem } from "./problem.ts";
export { unitOfWorkPlugin } from "./requests.ts";
export { oneOf, visibleName } from "./schemas.ts";
export { type App, createServer } from "./server.ts";
export { buildValidator, toFieldErrors } from "./validation.ts";
