export type OutboundReason = "blocked_address" | "dns" | "timeout" | "too_large" | "tls" | "connect" | "bad_url" | "scheme";

// A name that does not exist and one that leads to an internal address get the same text. Otherwise internal names could be found by trying them.
const NOT_PUBLIC =
  "could not be found, or is not a public address. Please check the spelling. An operator can allow it with GATEHOUSE_ALLOWED_HOSTS.";

// The messages are deliberately coarse: an administrator of a realm may read them, and must not learn from them about the internal network.
const MESSAGES: Record<OutboundReason, string> = {
  blocked_address: NOT_PUBLIC,
  dns: NOT_PUBLIC,
  timeout: "did not answer in time.",
  too_large: "answered with more than is accepted.",
  tls: "has no certificate that this server trusts for that name.",
  connect: "could not be reached, or broke off the conversation.",
  bad_url: "is not an address that can be called. Please use the form https://host/path, without a user name or password in it.",
  scheme: "must be called with https.",
};

/** Something could not be sent. The message names the peer as the caller wrote it and nothing else; `cause` is for the log. */
export class OutboundError extends Error {
  readonly reason: OutboundReason;

  constructor(reason: OutboundReason, peer: string, cause?: unknown) {
    super(`${peer} ${MESSAGES[reason]}`, { cause });
    this.name = "OutboundError";
    this.reason = reason;
  }
}

const TLS_CODES = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|EPROTO$)/;
const REASON_BY_CODE: Record<string, OutboundReason> = {
  UND_ERR_HEADERS_OVERFLOW: "too_large",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_INVALID_ARG: "bad_url",
  ETIMEDOUT: "timeout",
};

/** Maps an error of Node or undici to one of our reasons. */
export function toOutboundError(error: unknown, peer: string): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = String((error as { code?: unknown } | null)?.code ?? "");
  return new OutboundError(REASON_BY_CODE[code] ?? (TLS_CODES.test(code) ? "tls" : "connect"), peer, error);
}
