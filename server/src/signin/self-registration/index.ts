// Self-registration: users create their own accounts, where the realm allows it. With `verifyEmail` an account is created only when
// the mail to its address is confirmed: registration does not reveal who has an account, and an unconfirmed one leaves nothing behind.
export { selfRegistrationRoutes } from "./routes.ts";
export { whyClosed } from "./service.ts";
