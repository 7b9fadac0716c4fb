// Authentication flows. Owns `flows`; a built-in flow (built-in.ts) gets a row when a realm changes it.
// position.ts evaluates a flow for a sign-in; signin/run drives it.

export { type AuthenticatorStep, authenticatorSteps, type Flow, isSubFlow, mapSteps, type Step } from "./flow.ts";
export { type Ask, authenticatorOf, chosenFirst, type Silently, type Verdict, walk } from "./position.ts";
export { DEFAULT_DIRECT_FLOW, directlyAnswered, isSignInFlow, STEP_UP } from "./purpose.ts";
export { followRenamedRole, keepGroupsOfConditions, keepRoleOfConditions } from "./references.ts";
export { authenticatorRoutes, browserFlowRoutes, flowRoutes } from "./routes.ts";
export { CreateFlow } from "./schema.ts";
export { createFlow, removeFlow, saveFlow, searchFlows, shareChosenFlows } from "./service.ts";
export { askedSecondFactors, createFlows, type Flows, type FlowsSnapshot } from "./snapshot.store.ts";
export { keepWayIn } from "./ways-in.ts";
