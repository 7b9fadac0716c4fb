// Parts of the engine that it does not type; engine.ts is their only reader.
declare module "oidc-provider/lib/actions/authorization/index.js" {
  type Middleware = (ctx: import("oidc-provider").KoaContextWithOIDC, next: () => Promise<unknown>) => unknown;
  /** The steps of an endpoint, shared by every Provider of the process. */
  const stepsOf: (
    endpoint: "authorization" | "pushed_authorization_request" | "device_authorization" | "backchannel_authentication",
  ) => Middleware[];
  export default stepsOf;
}
declare module "oidc-provider/lib/actions/token.js" {
  type Middleware = (ctx: import("oidc-provider").KoaContextWithOIDC, next: () => Promise<unknown>) => unknown;
  /** The steps of the token endpoint, shared by every Provider of the process. */
  const steps: Middleware[];
  export default steps;
}
declare module "oidc-provider/lib/actions/discovery.js" {
  const discovery: (ctx: { oidc: object; body?: Record<string, unknown> }) => void;
  export default discovery;
}
declare module "oidc-provider/lib/shared/client_auth.js" {
  type Middleware = (ctx: import("oidc-provider").KoaContextWithOIDC, next: () => Promise<unknown>) => unknown;
  const steps: Middleware[];
  export default steps;
}
declare module "oidc-provider/lib/helpers/validate_dpop.js" {
  import type { KoaContextWithOIDC, Provider } from "oidc-provider";

  type Proof = { readonly thumbprint: string; readonly jti: string; readonly iat: number };
  const validate: (provider: Provider, ctx: KoaContextWithOIDC, accessToken?: string) => Promise<Proof | undefined>;
  export const checkDpopReplay: (
    provider: Provider,
    ctx: KoaContextWithOIDC,
    proof: Proof | undefined,
    clientId: string,
    refusal: new (description?: string) => Error,
  ) => Promise<void>;
  export default validate;
}
declare module "oidc-provider/lib/helpers/sender_constraints.js" {
  import type { X509Certificate } from "node:crypto";
  import type { KoaContextWithOIDC, Provider } from "oidc-provider";

  /** Undefined for clients whose tokens are not bound to one; as `getCertificate` gave it otherwise. */
  export const checkMtlsCert: (provider: Provider, ctx: KoaContextWithOIDC) => X509Certificate | undefined;
}
declare module "oidc-provider/lib/helpers/als.js" {
  const requestUnderWay: import("node:async_hooks").AsyncLocalStorage<import("oidc-provider").KoaContextWithOIDC>;
  export default requestUnderWay;
}
