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

/** The grant's parameters; empty ones count as omitted (RFC 6749 §3.2). */
export type Parameters = Readonly<Record<string, string | undefined>>;

export interface Presented {
  readonly params: Parameters;
  /** Parameters that may be repeated: `resource`, `audience`. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** The presented source: a stored record, a user's grant, or neither. */
export interface Source {
  /** Consumed when tokens are issued; null: nothing is consumed. */
  readonly record: (StoredRecord & { readonly model: string }) | null;
  /** A refresh token that is not rotated: extended until then (epoch milliseconds) instead of consumed. */
  readonly keptUntil?: number;
  /** The user denied the request: it is consumed, then this error is returned. */
  readonly denied?: OAuthError;
  /** Null: no user is involved. */
  readonly grant: LiveGrant | null;
}

/** The content of a new refresh token. */
export interface RefreshSource {
  readonly from: RecordPayload & { readonly accountId: string; readonly clientId: string; readonly grantId: string };
  /** The grant type that begins a family, in the engine's words; null: `from` is a refresh token. */
  readonly gty: string | null;
  readonly grant: Pick<LiveGrant, "sessionId" | "expiresAt">;
  /** The refresh token that it replaces. */
  readonly replaces?: string | undefined;
}

/** The result of a grant. */
export type Issue = {
  /** Set where only the user may do this: the administrator who acts as them, or null. */
  readonly impersonator?: unknown;
} & (
  | {
      readonly kind: "user";
      readonly tokens: UserIssue;
      /** Null: no refresh token. */
      readonly refresh: RefreshSource | null;
      /** RFC 8693 §2.2.1 */
      readonly issuedTokenType?: string;
      /** Further members of the answer. */
      readonly answer?: Readonly<Record<string, unknown>>;
    }
  | ({ readonly kind: "client"; readonly answer?: Readonly<Record<string, unknown>> } & ClientIssue)
  | {
      /** An answer without tokens, such as a decision about permissions. */
      readonly kind: "decision";
      /** The user that it is about; null: the client itself. */
      readonly userId: string | null;
      readonly body: TokenAnswerBody;
    }
);

/** A JSON object, or a list where the grant's specification has one. */
export type TokenAnswerBody = Readonly<Record<string, unknown>> | readonly unknown[];

/** Presented again after it was consumed: the whole grant is revoked. */
export class Replayed {
  readonly record: StoredRecord;
  constructor(record: StoredRecord) {
    this.record = record;
  }
}

/**
 * One grant type; its rules for clients are a row of `applications/clients/grant-types.ts`. The pipeline calls its steps; a grant cannot skip
 * one.
 */
export interface Grant<S extends Source = Source> {
  /** Its parameters besides client authentication; others are ignored (RFC 6749 §3.2). */
  readonly parameters: readonly string[];
  /** Parameters that may be repeated. */
  readonly lists?: readonly string[];
  /** `scope` is in the words of another server: unknown names are not dropped. */
  readonly hasForeignScopes?: boolean;
  /** Finds the presented grant. A grant of another client is not found. */
  find(ctx: TokenCtx, presented: Presented): Promise<S | Replayed>;
  /** PKCE, redirect_uri, binding. */
  check?(ctx: TokenCtx, source: S, presented: Presented): void;
  issue(ctx: TokenCtx, source: S, presented: Presented): Issue | Promise<Issue>;
  /** Records the event before the response is sent. `expiresAt` is the access token's, in epoch milliseconds; null: none was issued. */
  record?(ctx: TokenCtx, source: S, expiresAt: number | null, issue: Issue): Promise<void>;
}
