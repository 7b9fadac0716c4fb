import type { Logger } from "pino";
import type { Upstreams } from "../oidc/upstreams.ts";
import type { LinkTokens } from "../providers/link-tokens.store.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { SamlTools } from "../saml/tools.ts";
import type { BrokeredSession, UpstreamSession } from "./brokered-sessions.store.ts";

/** A user as an identity provider knows them. */
export interface BrokeredIdentity {
  /** Never changes and is never given to another: what a link is made of. */
  readonly subject: string;
  /** The provider's name for the user, to be shown. */
  readonly username: string | null;
  readonly email: string | null;
  /** By the provider's own word, as far as its kind can give it; whether that counts here is `trustEmail`. */
  readonly emailVerified: boolean;
  readonly firstName: string | null;
  readonly lastName: string | null;
  /** For mappers and templates. */
  readonly claims: Readonly<Record<string, unknown>>;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** Their session there, where a logout names it. */
  readonly session?: UpstreamSession | undefined;
  /** To be kept for the user, where the provider is configured so. */
  readonly tokens?: LinkTokens | undefined;
  /** Reads the rest of what the provider says. Left out: this is all. Throws an UpstreamError. */
  complete?(): Promise<BrokeredIdentity>;
}

/** The request for the sign-in, passed on. */
export interface BrokerRequest {
  /** `{base_url}/realms/{realm}/broker/{alias}/endpoint` */
  readonly redirectUri: string;
  readonly loginHint: string | null;
  readonly locale: string;
  /** The level that is asked for: `1`, `2`. */
  readonly acr: string | null;
  /** A session at the provider does not count. */
  readonly fresh: boolean;
}

export interface Departure {
  /** JSON that the step keeps until the browser returns. */
  readonly kept: Readonly<Record<string, unknown>>;
  /** `state`, up to 80 characters, has to come back with the answer. */
  to(state: string): Destination | Promise<Destination>;
}

/** The target of a browser: an address, or a form that it posts there. `name` is shown to users. */
export type Destination = string | { readonly name: string; readonly location: string; readonly form: Readonly<Record<string, string>> };

/** The next step after a posted response. */
export type PostedAnswer =
  /** The browser goes on with this query, where its cookies come with it. */
  | { readonly kind: "answer"; readonly query: Readonly<Record<string, string>> }
  /**
   * It answers no request, and the provider may begin: a sign-in of this browser begins, which asks. `returnTo`: as the provider says, not
   * trusted.
   */
  | { readonly kind: "begin"; readonly returnTo: string | null };

export interface BrokerTools {
  /** For all calls of a request together. */
  readonly timeoutMs: number;
  readonly upstreams: Upstreams;
  readonly saml: SamlTools;
  readonly log: Logger;
}

/** A protocol of identity providers. Each is a plain object in `brokers`, and the conformance tests sign in with each. */
export interface Broker {
  /** Throws an UpstreamError where the provider cannot be reached or understood. */
  begin(provider: ProviderSnapshot, request: BrokerRequest, tools: BrokerTools): Promise<Departure>;
  /** `answer`: the query that came back, none of it trusted; `kept`: what `begin` kept. Throws an UpstreamError where anything is wrong. */
  finish(
    provider: ProviderSnapshot,
    answer: Readonly<Record<string, string>>,
    kept: Readonly<Record<string, unknown>>,
    request: Pick<BrokerRequest, "redirectUri">,
    tools: BrokerTools,
  ): Promise<BrokeredIdentity>;
  /**
   * For a protocol whose responses are posted and too large for a URL. The form comes from another site and without cookies: nothing is
   * decided by it. Throws an UpstreamError where anything is wrong.
   */
  posted?(provider: ProviderSnapshot, form: Readonly<Record<string, unknown>>, tools: BrokerTools): Promise<PostedAnswer>;
  /** The signed document by which this realm describes itself, in protocols that have one. */
  metadata?(provider: ProviderSnapshot, tools: BrokerTools): Promise<string>;
  /** New tokens for those that are kept. An UpstreamError `token_refused`: they are of no use any more. */
  refresh?(provider: ProviderSnapshot, tokens: LinkTokens, tools: BrokerTools): Promise<LinkTokens>;
  /** Continues a logout at the provider; null: it has none. `returnTo` must get `state` back. */
  signOut?(
    provider: ProviderSnapshot,
    session: BrokeredSession,
    request: { readonly returnTo: string; readonly state: string },
    tools: BrokerTools,
  ): Promise<UpstreamHop | null>;
  /** For a provider that reports logouts by its back channel. Throws an UpstreamError where anything is wrong. */
  readLogoutToken?(provider: ProviderSnapshot, token: string, tools: BrokerTools): Promise<UpstreamLogoutNotice>;
  /** For a provider that asserts to other servers who is signed in to an application. Throws an UpstreamError where anything is wrong. */
  readIdentityAssertion?(provider: ProviderSnapshot, jwt: string, audience: string, tools: BrokerTools): Promise<BrokeredIdentity>;
}

/** The target of a browser that signs out there: an address, or a form. */
export interface UpstreamHop {
  readonly location: string;
  readonly form?: Readonly<Record<string, string>>;
  /** The values that the response is compared with. */
  readonly kept?: Readonly<Record<string, unknown>>;
}

export interface UpstreamLogoutNotice {
  /** The session there, or the subject with all of them; both where both have to fit. */
  readonly id: string | undefined;
  readonly subject: string | undefined;
  /** The id of the notice: it counts once. */
  readonly token: string;
  readonly expiresAt: number;
}
