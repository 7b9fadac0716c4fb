// Self-registration: users create their own accounts, if the realm allows it. With `verifyEmail` an account is created only when the mail
// to its address is confirmed: registration does not reveal who has an account, and an unconfirmed one leaves no account.
export { selfRegistrationRoutes } from "./routes.ts";
export { whyClosed } from "./service.ts";
