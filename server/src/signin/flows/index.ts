// Flows: in which steps people sign in. Owns `flows`; the built-in ones are in built-in.ts until a realm changes them.
// position.ts says where in a flow a sign-in is; signin/login asks, shows and answers.
export { builtInFlows } from "./built-in.ts";
export { certainLevel } from "./certain.ts";
export { type Flow, isSubFlow, type Requirement, type Step } from "./flow.ts";
export { type Ask, type Silently, type Verdict, type Walk, walk } from "./position.ts";
export { DEFAULT_DIRECT_FLOW, directlyAnswered, isSignInFlow } from "./purpose.ts";
export { authenticatorRoutes, browserFlowRoutes, flowRoutes } from "./routes.ts";
export { shareChosenFlows } from "./service.ts";
export { createFlows, type Flows, type FlowsSnapshot } from "./snapshot.ts";
