/** RFC 8705 §2.1.2: what can name the certificate of a client with `tls_client_auth`, of which it has one. */
export const certificateNames = [
  "tlsClientAuthSubjectDn",
  "tlsClientAuthSanDns",
  "tlsClientAuthSanUri",
  "tlsClientAuthSanIp",
  "tlsClientAuthSanEmail",
] as const;
