// The authorization endpoint: it prepares requests for the engine, and serves the interactions with the user, consent and step-up.
export { cookieKeys, INTERACTION_COOKIE, RESUME_COOKIE } from "./cookies.ts";
export { type InteractionRouteParts, interactionRoutes } from "./interaction.routes.ts";
export { askToSignIn, loginSince, type Pending, signInPath, signInRequestOf } from "./interaction.service.ts";
export { keepPosted, takePosted } from "./posted-requests.ts";
export { searchOf } from "./request-uris.ts";
export { authorizeRoutes } from "./routes.ts";
