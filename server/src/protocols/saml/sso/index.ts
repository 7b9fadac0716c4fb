// Single sign-on: checks requests of service providers, runs the sign-in that they require, and makes the response.

export { samlConsentRoutes } from "./consent.routes.ts";
export { NAME_ID_FORMATS } from "./name-id.ts";
export { ssoRoutes } from "./routes.ts";
export { deleteAnsweredRequests, isFirstAnswer } from "./store.ts";
