// Pure evaluation of policies: no database, no clock of its own. The same for `evaluate`, tokens and AuthZEN.
export { operators, PATH } from "./attribute.ts";
export { type Asked, type AskedResult, type EvaluatedResource, evaluate, type Question } from "./evaluate.ts";
export {
  type Entry,
  type Model,
  modelOf,
  type PermissionModel,
  type PolicyConfig,
  type PolicyModel,
  type PolicyType,
  policyTypes,
} from "./model.ts";
export type { Subject } from "./policies.ts";
export { timeRanges, WALL_TIME, zoneOf } from "./time.ts";
