// Self-service outside of a sign-in: users choose another password and confirm their email address. The pages behind the links of our mails
// are here. Each changes something only after its button.
export { actionsEmailRoutes } from "./actions-email.routes.ts";
export { changePasswordRoutes, wellKnownChangePassword } from "./change-password.routes.ts";
export { showLink } from "./link-page.tsx";
export { mailLinkRoutes } from "./links.routes.ts";
export { resetRoutes } from "./reset.routes.ts";
export { callbacksOf, type WayBack, wayBack } from "./start.ts";
