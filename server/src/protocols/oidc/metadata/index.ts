// The metadata documents of an issuer: OpenID Connect Discovery, RFC 8414 and RFC 9728.
export { metadataRoutes } from "./routes.ts";
