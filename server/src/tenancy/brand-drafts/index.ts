// A brand that is tried before it is saved, by one session. Owns `branding_drafts`.
export { brandDraftRoutes } from "./routes.ts";
export { deleteExpiredDrafts } from "./store.ts";
