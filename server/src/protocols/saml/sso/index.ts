// Single sign-on: requests of service providers, checked; the sign-in that they ask for; and the response.

export { samlConsentRoutes } from "./consent.routes.ts";
export { NAME_ID_FORMATS } from "./name-id.ts";
export { ssoRoutes } from "./routes.ts";
export { deleteAnsweredRequests, isFirstAnswer } from "./store.ts";
