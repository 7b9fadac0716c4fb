// SAML 2.0. The core reads and writes messages and metadata; the endpoints that speak for a realm stand on it.
export * from "./core/index.ts";
