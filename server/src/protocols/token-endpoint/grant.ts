import type { ClientSnapshot } from "../../applications/clients/index.ts";
import type { OAuthError } from "../../kernel/oauth-error.ts";
import type { Binding, LiveGrant, RecordPayload, StoredRecord, UserIssue } from "../tokens/index.ts";
import type { TokenEndpointParts } from "./parts.ts";

/** A token request, after its client was authenticated and its binding proven. */
export interface TokenCtx {
  readonly parts: TokenEndpointParts;
  readonly client: ClientSnapshot;
  readonly binding: Binding;
  readonly sourceIp: string;
}

/** The parameters that a grant knows, each sent once; empty ones were not sent. */
export type Parameters = Readonly<Record<string, string | undefined>>;

export interface Presented {
  readonly params: Parameters;
  /** Of parameters that may be sent several times: `resource`, `audience`. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** What tokens are made from. */
export interface Source {
  /** What is used up; null: nothing is. */
  readonly record: (StoredRecord & { readonly model: string }) | null;
  /** It is not used up, and lives on until then (epoch milliseconds): a refresh token of a client whose tokens are not replaced. */
  readonly keptUntil?: number;
  /** The user denied it: it is used up, then refused. */
  readonly denied?: OAuthError;
  /** Null: the client acts in its own name. */
  readonly grant: LiveGrant | null;
}

/** What the next refresh token takes over. */
export interface RefreshSource {
  readonly from: RecordPayload & { readonly accountId: string; readonly clientId: string; readonly grantId: string };
  /** How the engine names the grant that begins a family; null: `from` is a refresh token. */
  readonly gty: string | null;
  readonly grant: Pick<LiveGrant, "sessionId" | "expiresAt">;
}

/** What a grant gives. */
export type Issue =
  | {
      readonly kind: "user";
      readonly tokens: UserIssue;
      /** Null: no refresh token. */
      readonly refresh: RefreshSource | null;
      readonly extras?: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: "client";
      readonly scopes: readonly string[];
      readonly resource: string;
      readonly authorizationDetails: UserIssue["authorizationDetails"];
    };

/** Presented once too often: everything that was given with it ends. */
export class Replayed {
  readonly record: StoredRecord;
  constructor(record: StoredRecord) {
    this.record = record;
  }
}

/** One grant type. The pipeline calls it step by step; it cannot skip one. */
export interface Grant<S extends Source = Source> {
  /** `grant_type` */
  readonly type: string;
  /** RFC 6749 §4.4: only for clients that have authenticated. */
  readonly confidentialOnly?: boolean;
  /** What it knows besides the client's authentication; anything else in the form is ignored (RFC 6749 §3.2). */
  readonly parameters: readonly string[];
  /** Of these, those that may be sent several times. */
  readonly lists?: readonly string[];
  /** The client is known: what is not its own is not found. */
  find(ctx: TokenCtx, presented: Presented): Promise<S | Replayed>;
  /** PKCE, redirect_uri, binding. */
  check?(ctx: TokenCtx, source: S, presented: Presented): void;
  issue(ctx: TokenCtx, source: S, presented: Presented): Issue | Promise<Issue>;
  /** What is recorded before the answer leaves. `expiresAt` is the access token's, in epoch milliseconds. */
  record?(ctx: TokenCtx, source: S, expiresAt: number): Promise<void>;
}
