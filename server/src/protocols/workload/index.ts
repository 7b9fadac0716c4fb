// Workload identity federation: a workload exchanges a token of its own issuer for an access token of a client, without a secret.
// Which tokens count, and for whom, is in applications/workload-credentials; they are verified in protocols/client-auth.
export { workloadTokenRoutes } from "./routes.ts";
