// Every import and override of `oidc-provider`; nothing outside this folder imports it. `models`: its entities as views of ours; `requests` and
// `responses`: replaced steps and pages; `adapter.ts`: its storage. engine.test.ts checks each patched member against the pinned version.
export { createIssuers } from "./issuers.ts";
export { engineRoutes } from "./routes.ts";
