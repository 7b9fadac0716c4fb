// Pure evaluation of policies, without a database or a clock of its own. It is the same for `evaluate`, tokens and AuthZEN.
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
