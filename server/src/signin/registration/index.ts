// Self-registration: people make accounts of their own, where the realm lets them. With `verifyEmail` an account begins only when
// the mail to its address has come back, so that nobody learns who has one, and nothing is left of what nobody confirms.
export { selfRegistrationRoutes } from "./routes.ts";
export { whyClosed } from "./service.ts";
