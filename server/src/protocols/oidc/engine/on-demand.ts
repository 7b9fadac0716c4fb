// Exports the modules that import `oidc-provider`. issuers.ts loads it on first use, so that a start reads a fifth less code.
import "./runtime-warning.ts";

export { setResumed } from "./context.ts";
export { handOver } from "./hand-over.ts";
export { answerInteraction } from "./models/interaction.ts";
export { makeEngine } from "./provider.ts";
