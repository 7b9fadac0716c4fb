// Serves the Artifact binding: messages that the browser carries by reference, and the SOAP endpoint at which service providers get them.
export { artifactRoutes } from "./routes.ts";
export { keepMessage } from "./store.ts";
