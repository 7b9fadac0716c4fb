// Contains every import and override of `oidc-provider`. `models` makes its entities views of ours, `requests` and `responses` replace
// steps and pages, and `adapter.ts` stores its state. engine.test.ts checks each patched member against the pinned version.
export { createIssuers } from "./issuers.ts";
export { engineRoutes } from "./routes.ts";
