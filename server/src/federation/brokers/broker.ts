import type { Logger } from "pino";
import type { Upstreams } from "../oidc/upstreams.ts";
import type { LinkTokens } from "../providers/link-tokens.store.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { SamlTools } from "../saml/tools.ts";
import type { BrokeredSession, UpstreamSession } from "./brokered-sessions.store.ts";

/** A user as described by an identity provider. */
export interface BrokeredIdentity {
  /** The identifier of which a link is made. It never changes, and is never given to another user. */
  readonly subject: string;
  /** The provider's name for the user, for display. */
  readonly username: string | null;
  readonly email: string | null;
  /** The provider's own statement. It is always true in SAML, which cannot express it. `trustEmail` decides whether it counts here. */
  readonly emailVerified: boolean;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** The claims for mappers and templates. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** The user's session at the provider, for later logouts. */
  readonly session?: UpstreamSession | undefined;
  /** The tokens to store for the user, if the provider is configured so. */
  readonly tokens?: LinkTokens | undefined;
  /** Reads the rest of the identity. If omitted, the identity is complete. Throws an UpstreamError. */
  complete?(): Promise<BrokeredIdentity>;
}

/** The parts of a sign-in request that are passed on to the provider. */
export interface BrokerRequest {
  /** `{base_url}/realms/{realm}/broker/{alias}/endpoint` */
  readonly redirectUri: string;
  readonly loginHint: string | null;
  readonly locale: string;
  /** The requested level of authentication: `1` or `2`. */
  readonly acr: string | null;
  /** True if an existing session at the provider must not count. */
  readonly fresh: boolean;
}

export interface Departure {
  /** JSON that the step stores until the browser returns. */
  readonly kept: Readonly<Record<string, unknown>>;
  /** Returns the destination of the browser. `state`, up to 80 characters, must come back with the answer. */
  to(state: string): Destination | Promise<Destination>;
}

/** The destination of a browser: an address, or a form that it posts there. Users see `name`. */
export type Destination = string | { readonly name: string; readonly location: string; readonly form: Readonly<Record<string, string>> };

/** The next step after a posted response. */
export type PostedAnswer =
  /** The browser continues with this query at an address that gets its cookies. */
  | { readonly kind: "answer"; readonly query: Readonly<Record<string, string>> }
  /**
   * It answers no request, but the provider may begin sign-ins: the browser begins a sign-in of its own at this provider. `returnTo` comes from the provider,
   * and is not trusted.
   */
  | { readonly kind: "begin"; readonly returnTo: string | null };

export interface BrokerTools {
  /** The deadline for all calls of a request together. */
  readonly timeoutMs: number;
  readonly upstreams: Upstreams;
  readonly saml: SamlTools;
  readonly log: Logger;
}

/** A protocol of identity providers, as a plain object. The conformance tests sign in with each one. */
export interface Broker {
  /** Begins a sign-in. Throws an UpstreamError if the provider cannot be reached or understood. */
  begin(provider: ProviderSnapshot, request: BrokerRequest, tools: BrokerTools): Promise<Departure>;
  /** Verifies the answer. `answer` is the query that came back, none of it trusted; `kept` is the value from `begin`. Throws an UpstreamError for any fault. */
  finish(
    provider: ProviderSnapshot,
    answer: Readonly<Record<string, string>>,
    kept: Readonly<Record<string, unknown>>,
    request: Pick<BrokerRequest, "redirectUri">,
    tools: BrokerTools,
  ): Promise<BrokeredIdentity>;
  /**
   * Reads a posted response, in protocols whose responses are too large for a URL. The form comes from another site without cookies, so it decides nothing by
   * itself. Throws an UpstreamError for any fault.
   */
  posted?(provider: ProviderSnapshot, form: Readonly<Record<string, unknown>>, tools: BrokerTools): Promise<PostedAnswer>;
  /** Returns the signed document by which this realm describes itself, in protocols that have one. */
  metadata?(provider: ProviderSnapshot, tools: BrokerTools): Promise<string>;
  /** Returns new tokens for the stored ones. Throws an UpstreamError `token_refused` if the stored ones can no longer be used. */
  refresh?(provider: ProviderSnapshot, tokens: LinkTokens, tools: BrokerTools): Promise<LinkTokens>;
  /** Continues a logout at the provider. Returns null if the provider has none. `returnTo` must get `state` back. */
  signOut?(
    provider: ProviderSnapshot,
    session: BrokeredSession,
    request: { readonly returnTo: string; readonly state: string },
    tools: BrokerTools,
  ): Promise<UpstreamHop | null>;
  /** Verifies the logout token of a provider that reports logouts by its back channel. Throws an UpstreamError for any fault. */
  readLogoutToken?(provider: ProviderSnapshot, token: string, tools: BrokerTools): Promise<UpstreamLogoutNotice>;
  /** Verifies the assertion of a provider that tells other servers who is signed in to an application. Throws an UpstreamError for any fault. */
  readIdentityAssertion?(provider: ProviderSnapshot, jwt: string, audience: string, tools: BrokerTools): Promise<BrokeredIdentity>;
}

/** The destination of a browser that signs out at a provider: an address, or a form. */
export interface UpstreamHop {
  readonly location: string;
  readonly form?: Readonly<Record<string, string>>;
  /** The values to compare the response with. */
  readonly kept?: Readonly<Record<string, unknown>>;
}

export interface UpstreamLogoutNotice {
  /** The session at the provider, or the subject with all its sessions. If both are set, both have to match. */
  readonly id: string | undefined;
  readonly subject: string | undefined;
  /** The id of the notice, which counts only once. */
  readonly token: string;
  readonly expiresAt: number;
}
