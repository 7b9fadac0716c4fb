// Serves our endpoints at the paths of Keycloak, too, if a realm enables it.
export { keycloakPathRoutes } from "./routes.ts";
