import type { Socket } from "node:net";
import type { ClientIdentity, Outbound } from "../outbound/index.ts";
import { BerReader, element, integer, octets, sequence } from "./ber.ts";
import { Conversation } from "./conversation.ts";
import type { LdapEntry } from "./entry.ts";
import { LdapError, notReached, RESULT, refusedBy } from "./errors.ts";
import {
  bindRequest,
  type Change,
  type Control,
  extendedRequest,
  type LdapResult,
  modifyRequest,
  type SearchRequest,
  searchRequest,
} from "./messages.ts";
import { parseLdapUrl } from "./url.ts";

export interface ConnectionOptions {
  readonly outbound: Outbound;
  /** `ldap://host:port` or `ldaps://host:port`. */
  readonly url: string;
  readonly startTls: boolean;
  /** PEM certificates of the trusted authorities, instead of the public ones. */
  readonly ca: string | null;
  /** Our own certificate and its key in PEM, for a directory that requires one. */
  readonly identity?: ClientIdentity | null;
  /** The limit for the connection with its handshake, and for each operation. */
  readonly timeoutMs: number;
}

export interface BindAnswer {
  /** True if the password policy of OpenLDAP and others (draft-behera-ldap-password-policy) says that the password must be replaced. */
  readonly mustChange: boolean;
}

/** A bind that the directory refused. `isExpired` is true if the password policy says that the password was right but has expired. */
export class BindRefused extends LdapError {
  readonly isExpired: boolean;

  constructor(refused: LdapError, isExpired: boolean) {
    super("result", refused.message, { resultCode: refused.resultCode!, diagnostic: refused.diagnostic });
    this.name = "BindRefused";
    this.isExpired = isExpired;
  }
}

/** A new password that the directory refused, with the reason of its password policy, if it gave one. */
export class PasswordRefused extends LdapError {
  readonly policy: PolicyError | null;

  constructor(refused: LdapError, policy: PolicyError | null) {
    super("result", refused.message, { resultCode: refused.resultCode!, diagnostic: refused.diagnostic });
    this.name = "PasswordRefused";
    this.policy = policy;
  }
}

const START_TLS = "1.3.6.1.4.1.1466.20037"; // RFC 4511 §4.14.1
const PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1"; // RFC 3062
const PAGED_RESULTS = "1.2.840.113556.1.4.319"; // RFC 2696
const DIRSYNC = "1.2.840.113556.1.4.841";
const PASSWORD_POLICY = "1.3.6.1.4.1.42.2.27.8.5.1";
const POLICY_HINTS = "1.2.840.113556.1.4.2239";

/** Connects, with TLS if it is configured. If TLS fails, the connection is closed and nothing is sent in the clear. */
export async function openConnection(options: ConnectionOptions): Promise<LdapConnection> {
  const { outbound, startTls, timeoutMs } = options;
  const { host, port, tls } = parseLdapUrl(options.url);
  const trust = { ...(options.ca !== null && { ca: options.ca }), ...(options.identity && { identity: options.identity }) };
  const socket = await outbound.connect({ host, port, tls, ...trust, timeoutMs }).catch((error: unknown) => {
    throw notReached(error);
  });
  if (tls || !startTls) return new LdapConnection(new Conversation(socket), timeoutMs);
  return new LdapConnection(new Conversation(await secured(socket)), timeoutMs);

  async function secured(plain: Socket): Promise<Socket> {
    const before = new Conversation(plain);
    try {
      const { result } = await before.ask("extended", extendedRequest(START_TLS), { timeoutMs });
      if (result.code !== RESULT.success) throw refusedBy(result.code, result.diagnostic);
      before.release();
      return await outbound.upgrade(plain, { host, ...trust, timeoutMs });
    } catch (error) {
      plain.destroy();
      const { resultCode, diagnostic = "" } = error instanceof LdapError ? error : {};
      if (resultCode == null) throw notReached(error);
      throw new LdapError("tls", "The directory does not offer StartTLS.", { resultCode, diagnostic });
    }
  }
}

/**
 * One connection. It never reconnects by itself, because every later operation runs as the identity that was bound on it. Operations may run at the same time;
 * a bind runs alone (RFC 4511 §4.2.1).
 */
export class LdapConnection {
  readonly #conversation: Conversation;
  readonly #timeoutMs: number;

  constructor(conversation: Conversation, timeoutMs: number) {
    this.#conversation = conversation;
    this.#timeoutMs = timeoutMs;
  }

  get isOpen(): boolean {
    return this.#conversation.isOpen;
  }

  /** Performs a simple bind. An empty password is never sent: it would be an anonymous bind, which succeeds (RFC 4513 §5.1.2). */
  async bind(dn: string, password: string): Promise<BindAnswer> {
    if (dn === "" || password === "") throw new LdapError("protocol", "A bind needs a name and a password.");
    const controls = [{ oid: PASSWORD_POLICY }];
    const { result } = await this.#conversation.ask("bind", bindRequest(dn, password), { timeoutMs: this.#timeoutMs, controls });
    const policy = policyError(result.controls.get(PASSWORD_POLICY));
    if (result.code !== RESULT.success) throw new BindRefused(refusedBy(result.code, result.diagnostic), policy === "expired");
    return { mustChange: policy === "must-change" };
  }

  /** Returns everything that is found, for searches with few results. A reached size limit is no error, because the caller set it. */
  async search(request: SearchRequest): Promise<readonly LdapEntry[]> {
    const { entries, result } = await this.#search(request, []);
    const isCut = result.code === RESULT.sizeLimitExceeded && request.sizeLimit !== undefined && entries.length >= request.sizeLimit;
    if (result.code !== RESULT.success && !isCut) throw refusedBy(result.code, result.diagnostic);
    return entries;
  }

  /**
   * Yields everything that is found, page by page. Only an empty cookie ends it: a page may be empty in the middle (RFC 2696 §3). Any result but success
   * throws, so that a part is never taken for the whole. The directory reads the next page while the caller works on this one. Nothing else may page on this
   * connection meanwhile, because OpenLDAP keeps one cookie per connection.
   */
  async *pages(request: SearchRequest, pageSize: number): AsyncGenerator<readonly LdapEntry[]> {
    let emptyPages = 0;
    for (let nextPage = this.#page(request, pageSize, Buffer.alloc(0)); ; ) {
      const { entries, cookie } = await nextPage;
      // The number of pages has no limit, but that of successive empty pages has.
      emptyPages = entries.length === 0 ? emptyPages + 1 : 0;
      if (emptyPages > MAX_EMPTY_PAGES) throw new LdapError("protocol", "The directory sends empty pages without end.");
      if (cookie.length > 0) {
        nextPage = this.#page(request, pageSize, cookie);
        // A caller that stops early does not wait for the next page.
        nextPage.catch(() => {});
      }
      if (entries.length > 0) yield entries;
      if (cookie.length === 0) return;
    }
  }

  /**
   * Yields the changes since `cookie` in parts, each with the next cookie, by DirSync of Active Directory (MS-ADTS §3.1.1.3.4.1.3). The base must be the root
   * of a domain.
   */
  async *changes(
    request: SearchRequest,
    cookie: Buffer,
  ): AsyncGenerator<{ readonly entries: readonly LdapEntry[]; readonly cookie: Buffer }> {
    for (let parts = 0, last = cookie; parts < MAX_PARTS; parts++) {
      const value = sequence(integer(0), integer(DIRSYNC_BYTES), octets(last));
      const { entries, result } = await this.#search(request, [{ oid: DIRSYNC, critical: true, value }]);
      if (result.code !== RESULT.success) throw refusedBy(result.code, result.diagnostic);
      const next = dirSyncState(result.controls.get(DIRSYNC));
      yield { entries, cookie: next.cookie };
      if (!next.hasMore) return;
      last = next.cookie;
    }
    throw new LdapError("protocol", "The directory sends changes without end.");
  }

  async modify(dn: string, changes: readonly Change[], controls: readonly Control[] = []): Promise<void> {
    const { result } = await this.#conversation.ask("modify", modifyRequest(dn, changes), { timeoutMs: this.#timeoutMs, controls });
    if (result.code !== RESULT.success) throw refusedBy(result.code, result.diagnostic);
  }

  /** Sets a password by RFC 3062: the directory hashes it by its own rules. `current` is given if the entry changes its own password. */
  async setPassword(dn: string, password: string, current: string | null = null): Promise<void> {
    const value = sequence(element(0x80, dn), ...(current === null ? [] : [element(0x81, current)]), element(0x82, password));
    const controls = [{ oid: PASSWORD_POLICY }];
    const { result } = await this.#conversation.ask("extended", extendedRequest(PASSWORD_MODIFY, value), {
      ...{ timeoutMs: this.#timeoutMs, controls },
    });
    if (result.code === RESULT.success) return;
    throw new PasswordRefused(refusedBy(result.code, result.diagnostic), policyError(result.controls.get(PASSWORD_POLICY)));
  }

  /**
   * Sets a password in Active Directory, which accepts it only over TLS, in quotes and as UTF-16. With `current` an entry changes its own password. Without it
   * another account resets the password, and the control asks AD to apply the history nevertheless (MS-ADTS §3.1.1.3.4.1.27). Samba 4.17 does not know the
   * control.
   */
  async setUnicodePassword(dn: string, password: string, current: string | null = null): Promise<void> {
    const attribute = "unicodePwd";
    const changes: Change[] =
      current === null
        ? [{ operation: "replace", attribute, values: [quoted(password)] }]
        : [
            { operation: "delete", attribute, values: [quoted(current)] },
            { operation: "add", attribute, values: [quoted(password)] },
          ];
    const controls = current === null ? [{ oid: POLICY_HINTS, value: sequence(integer(1)) }] : [];
    await this.modify(dn, changes, controls).catch((error: unknown) => {
      throw error instanceof LdapError && error.fault === "result" ? new PasswordRefused(error, null) : error;
    });
  }

  close(): void {
    this.#conversation.end();
  }

  async #page(request: SearchRequest, size: number, cookie: Buffer): Promise<{ entries: readonly LdapEntry[]; cookie: Buffer }> {
    const value = sequence(integer(size), octets(cookie));
    const { entries, result } = await this.#search(request, [{ oid: PAGED_RESULTS, critical: true, value }]);
    if (result.code !== RESULT.success) throw refusedBy(result.code, result.diagnostic);
    return { entries, cookie: pageCookie(result.controls.get(PAGED_RESULTS)) };
  }

  #search(request: SearchRequest, controls: readonly Control[]): Promise<{ entries: LdapEntry[]; result: LdapResult }> {
    // The directory gets our time limit, so that it does not continue a search whose reader has given up.
    const seconds = Math.max(1, Math.ceil(this.#timeoutMs / 1_000));
    return this.#conversation.ask("search", searchRequest(request, seconds), { timeoutMs: this.#timeoutMs, controls });
  }
}

const MAX_EMPTY_PAGES = 1_000;

/** The size of one part of DirSync. */
const DIRSYNC_BYTES = 1_000_000;
const MAX_PARTS = 100_000;

/** `SEQUENCE { more INTEGER, unused INTEGER, cookie OCTET STRING }`. */
function dirSyncState(value: Buffer | undefined): { readonly hasMore: boolean; readonly cookie: Buffer } {
  try {
    const reader = new BerReader(value ?? Buffer.alloc(0)).inside();
    const hasMore = reader.integer() !== 0;
    reader.integer();
    return { hasMore, cookie: reader.bytes() };
  } catch (cause) {
    throw new LdapError("protocol", "The directory answered with what is no LDAP.", { cause });
  }
}

function pageCookie(value: Buffer | undefined): Buffer {
  // A response without the control means that the directory has sent everything at once.
  if (value === undefined) return Buffer.alloc(0);
  try {
    const reader = new BerReader(value).inside();
    reader.integer();
    return reader.bytes();
  } catch (cause) {
    throw new LdapError("protocol", "The directory answered with what is no LDAP.", { cause });
  }
}

const quoted = (password: string): Buffer => Buffer.from(`"${password}"`, "utf16le");

/** The errors of draft-behera-ldap-password-policy §6.2, in the order of their numbers. */
const POLICY_ERRORS = [
  "expired",
  "locked",
  "must-change",
  "not-allowed",
  "needs-old",
  "quality",
  "too-short",
  "too-young",
  "history",
] as const;
type PolicyError = (typeof POLICY_ERRORS)[number];

/** PasswordPolicyResponseValue: `SEQUENCE { warning [0] …, error [1] ENUMERATED }`. */
function policyError(value: Buffer | undefined): PolicyError | null {
  if (value === undefined || value.length === 0) return null;
  try {
    const reader = new BerReader(value).inside();
    if (reader.tag === 0xa0) reader.any();
    if (reader.tag !== 0x81) return null;
    return POLICY_ERRORS[reader.integer(0x81)] ?? null;
  } catch {
    return null;
  }
}
