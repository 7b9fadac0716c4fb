// The account: users manage their own account, and download their data as one document. Programs and pages of other parties use the API;
// console/ has our own pages over the same services. Callers need the user's own session or token.
export { accountAudience } from "./audience.ts";
export { accountConsoleRoutes } from "./console/routes.ts";
export { PersonalData } from "./privacy/personal-data.schema.ts";
export { collectPersonalData, fileNameOf } from "./privacy/personal-data.ts";
export { accountRoutes } from "./routes.ts";
