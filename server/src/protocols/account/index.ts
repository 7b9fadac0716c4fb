// The account: what a signed-in user does for themselves, and their data as one document.
// The API is for programs and for pages of others; console/ are our own pages over the same services. Entered by the user's own session or bearer token; an administrator's session opens nothing here.
export { accountAudience } from "./audience.ts";
export { accountConsoleRoutes } from "./console/routes.ts";
export { PersonalData } from "./privacy/personal-data.schema.ts";
export { collectPersonalData, fileNameOf } from "./privacy/personal-data.ts";
export { accountRoutes } from "./routes.ts";
