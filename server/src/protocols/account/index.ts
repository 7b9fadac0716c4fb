// The account: what a signed-in user does for themselves, and their data as one document.
// Entered by the user's own session or bearer token; an administrator's session opens nothing here.
export { accountAudience } from "./audience.ts";
export { PersonalData } from "./privacy/personal-data.schema.ts";
export { collectPersonalData, fileNameOf } from "./privacy/personal-data.ts";
export { accountRoutes } from "./routes.ts";
