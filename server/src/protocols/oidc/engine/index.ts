// Every import and every override of `oidc-provider`; nothing outside this folder knows it. `models` are its entities as views of ours,
// `requests` and `responses` the steps and pages that are replaced, `adapter` where its state is stored. engine.test.ts pins what is patched.
import "./runtime-warning.ts";

export { createIssuers } from "./issuers.ts";
export { engineRoutes } from "./routes.ts";
