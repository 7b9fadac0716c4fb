// Self-registration: users create their own accounts, where the realm allows it. With `verifyEmail` an account is created only when
// the mail to its address has been confirmed, so that registration does not reveal who has an account and an unconfirmed one leaves nothing.
export { selfRegistrationRoutes } from "./routes.ts";
export { whyClosed } from "./service.ts";
