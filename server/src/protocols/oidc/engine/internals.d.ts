// Untyped internals of the engine; only steps.ts imports them.
declare module "oidc-provider/lib/actions/authorization/index.js" {
  type Middleware = (ctx: import("oidc-provider").KoaContextWithOIDC, next: () => Promise<unknown>) => unknown;
  /** Returns the steps of an endpoint, which every Provider of the process shares. */
  const stepsOf: (
    endpoint: "authorization" | "resume" | "pushed_authorization_request" | "device_authorization" | "backchannel_authentication",
  ) => Middleware[];
  export default stepsOf;
}
declare module "oidc-provider/lib/helpers/als.js" {
  const requestStorage: import("node:async_hooks").AsyncLocalStorage<import("oidc-provider").KoaContextWithOIDC>;
  export default requestStorage;
}
