// A sign-in in progress, whatever asked for it (admin login, OIDC, SAML, a broker). Owns `interactions`.
// It belongs to one browser, moves by version, expires, and its result is taken once.
export {
  assertNotMovedOn,
  completeInteraction,
  deleteExpiredInteractions,
  endSignInsOf,
  forgetInteractions,
  type Interaction,
  interactionErrors,
  readInteraction,
  saveInteractionState,
  startInteraction,
  takeResult,
} from "./service.ts";
