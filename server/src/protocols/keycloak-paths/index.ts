// The paths of Keycloak as further names of our endpoints, where a realm asks for them.
export { keycloakPathRoutes } from "./routes.ts";
