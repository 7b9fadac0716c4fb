// The modules that import `oidc-provider` itself. issuers.ts loads it with the first request that needs the engine: a start reads a fifth less code.
import "./runtime-warning.ts";

export { setResumed } from "./context.ts";
export { handOver } from "./hand-over.ts";
export { answerInteraction } from "./models/interaction.ts";
export { makeEngine } from "./provider.ts";
