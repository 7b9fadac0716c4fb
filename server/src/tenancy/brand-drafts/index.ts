// A draft of the brand that one session tries before it is saved. Owns `branding_drafts`.
export { brandDraftRoutes } from "./routes.ts";
export { deleteExpiredDrafts } from "./store.ts";
