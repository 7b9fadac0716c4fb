// Workload identity federation: a workload exchanges a token of its own issuer for an access token of a client, without a secret.
// applications/workload-credentials decides which tokens are accepted for which client; protocols/client-auth verifies them.
export { workloadTokenRoutes } from "./routes.ts";
