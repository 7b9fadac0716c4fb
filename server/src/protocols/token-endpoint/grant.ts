import type { ClientSnapshot } from "../../applications/clients/index.ts";
import type { OAuthError } from "../../kernel/oauth-error.ts";
import type { Binding, ClientIssue, LiveGrant, RecordPayload, StoredRecord, UserIssue } from "../tokens/index.ts";
import type { TokenEndpointParts } from "./parts.ts";

/** A token request after client authentication and proof of possession. */
export interface TokenCtx {
  readonly parts: TokenEndpointParts;
  readonly client: ClientSnapshot;
  readonly binding: Binding;
  readonly sourceIp: string;
  readonly requestId: string;
}

/** The grant's parameters. Empty ones are treated as omitted (RFC 6749 §3.2). */
export type Parameters = Readonly<Record<string, string | undefined>>;

export interface Presented {
  readonly params: Parameters;
  /** The parameters that may be repeated: `resource`, `audience`. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** The presented source: a stored record, a user's grant, or neither. */
export interface Source {
  /** The record that is consumed when tokens are issued, or null if nothing is consumed. */
  readonly record: (StoredRecord & { readonly model: string }) | null;
  /** The new expiry of a refresh token that is not rotated, in epoch milliseconds. It is extended instead of consumed. */
  readonly keptUntil?: number;
  /** The error of a request that the user denied. The request is consumed before the error is returned. */
  readonly denied?: OAuthError;
  /** The grant of the user, or null if no user is involved. */
  readonly grant: LiveGrant | null;
}

/** The content of a new refresh token. */
export interface RefreshSource {
  readonly from: RecordPayload & { readonly accountId: string; readonly clientId: string; readonly grantId: string };
  /** The grant type that begins a family, as the engine names it, or null if `from` is a refresh token. */
  readonly gty: string | null;
  readonly grant: Pick<LiveGrant, "sessionId" | "expiresAt">;
  /** The refresh token that it replaces. */
  readonly replaces?: string | undefined;
}

/** The result of a grant. */
export type Issue = {
  /** The administrator who acts as the user, or null. It is set if only the user may do this. */
  readonly impersonator?: unknown;
} & (
  | {
      readonly kind: "user";
      readonly tokens: UserIssue;
      /** The source of the refresh token, or null if none is issued. */
      readonly refresh: RefreshSource | null;
      /** The type of the issued token (RFC 8693 §2.2.1). */
      readonly issuedTokenType?: string;
      /** Further members of the response. */
      readonly answer?: Readonly<Record<string, unknown>>;
    }
  | ({ readonly kind: "client"; readonly answer?: Readonly<Record<string, unknown>> } & ClientIssue)
  | {
      /** A response without tokens, such as a decision about permissions. */
      readonly kind: "decision";
      /** The user of the decision, or null if the client itself asks. */
      readonly userId: string | null;
      readonly body: TokenAnswerBody;
    }
);

/** A JSON object, or a list if the grant's specification defines one. */
export type TokenAnswerBody = Readonly<Record<string, unknown>> | readonly unknown[];

/** A record that was presented again after it was consumed. The whole grant is revoked. */
export class Replayed {
  readonly record: StoredRecord;
  constructor(record: StoredRecord) {
    this.record = record;
  }
}

/**
 * A grant type. A row of `applications/clients/grant-types.ts` has its rules for clients. The pipeline calls the steps, so a grant cannot
 * skip one.
 */
export interface Grant<S extends Source = Source> {
  /** The parameters besides client authentication. Others are ignored (RFC 6749 §3.2). */
  readonly parameters: readonly string[];
  /** The parameters that may be repeated. */
  readonly lists?: readonly string[];
  /** True if `scope` is about another server, so unknown names are not dropped. */
  readonly hasForeignScopes?: boolean;
  /** Finds the presented source. One of another client is not found. */
  find(ctx: TokenCtx, presented: Presented): Promise<S | Replayed>;
  /** Checks PKCE, redirect_uri and the binding. */
  check?(ctx: TokenCtx, source: S, presented: Presented): void;
  issue(ctx: TokenCtx, source: S, presented: Presented): Issue | Promise<Issue>;
  /** Records the event before the response is sent. `expiresAt` is the access token's, in epoch milliseconds, or null if there is none. */
  record?(ctx: TokenCtx, source: S, expiresAt: number | null, issue: Issue): Promise<void>;
}
