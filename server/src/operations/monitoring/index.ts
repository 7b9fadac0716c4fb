// Health, metrics and build information for operators, and the same per realm for its administrators.
// Owns no table: it counts rows of others. Anonymous callers learn only up or down.
export { exposeGauges } from "./gauges.ts";
export { createHealth, type Health } from "./health.ts";
export { serverInfo } from "./info.ts";
export { realmMonitoringRoutes } from "./realm.routes.ts";
export { monitoringRoutes } from "./routes.ts";
export { securityTxtRoutes } from "./security-txt.routes.ts";
export { metricsSummaryRoutes } from "./summary.routes.ts";
