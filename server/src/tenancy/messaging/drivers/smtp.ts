import { isIP, type Socket } from "node:net";
import { checkServerIdentity } from "node:tls";
import Type, { type Static } from "typebox";
import { asciiDomain, isMailAddress } from "../../../kernel/text.ts";
import { lineText, oneOf } from "../../../platform/http/index.ts";
import { isPublicAddress, type Outbound, OutboundError, urlFaults } from "../../../platform/outbound/index.ts";
import { type FieldFault, type MessageDriver, MessageError, type MessageFailure, type Provider } from "../driver.ts";
import { oneLine } from "../recipients.ts";

const SmtpConfig = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      maxLength: 253,
      pattern: "^[^\\s\\p{C}/@?#\\\\]+$",
      description: "a host name or an address, without a port",
      examples: ["smtp.example.com"],
    }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: "The port. Default 587, with tls 465, with none 25" })),
    username: Type.Optional(lineText("one line of text")),
    security: Type.Optional(
      oneOf(["starttls", "tls", "none"], {
        description: "Default starttls; the message is never sent unencrypted instead. none is for a relay on this server's own network",
      }),
    ),
  },
  { additionalProperties: false },
);
type SmtpConfig = Static<typeof SmtpConfig>;

const PORTS = { starttls: 587, tls: 465, none: 25 } as const;
/** The maximum size of a reply of the server, usually one line. */
const MAX_REPLY = 64 * 1024;

/** Mail by SMTP: one connection for each message, to an address that the guard has checked. */
export const smtp: MessageDriver = {
  channel: "EMAIL",
  config: SmtpConfig,
  secret: { required: false, what: "the password of config.username" },
  needsFromAddress: true,
  addresses: (config) => [`smtp+${(config as SmtpConfig).security ?? "starttls"}://${authority(config as SmtpConfig)}`],
  check: faultsOf,

  async send(provider, envelope, { outbound, signal }) {
    if (!isMailAddress(envelope.to)) throw new MessageError("recipient", new Error("not an email address"));
    const from = provider.fromAddress ?? "";
    if (!isMailAddress(from)) throw new MessageError("rejected", new Error("the provider has no sender address"));
    const config = provider.config as SmtpConfig;
    const auth = credentialsOf(config, provider.secret);
    const domain = asciiDomain(from.slice(from.lastIndexOf("@") + 1));
    // The module is loaded when it is needed, so that a server without mail starts faster.
    const { createTransport } = await import("nodemailer");
    const { security = "starttls", host } = config;
    let hangUp = () => {};
    const transport = createTransport({
      host,
      port: config.port ?? PORTS[security],
      // The EHLO name; the default would disclose this machine's name.
      name: domain,
      secure: security === "tls",
      secured: security === "tls",
      requireTLS: security === "starttls",
      ignoreTLS: security === "none",
      tls: {
        secureContext: outbound.secureContext,
        rejectUnauthorized: true,
        ...(isIP(host) ? {} : { servername: host }),
        checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
      },
      // Credentials are also sent if the server does not offer authentication: a message never leaves without the configured credentials.
      ...(auth && { auth, forceAuth: true }),
      maxResponseSize: MAX_REPLY,
      disableFileAccess: true,
      disableUrlAccess: true,
      getSocket(_options: object, done: (error: Error | null, socket: { connection: Socket } | false) => void) {
        dial(outbound, config, signal).then(
          (connection) => {
            hangUp = () => connection.destroy();
            signal.addEventListener("abort", hangUp, { once: true });
            done(null, { connection });
          },
          (error: Error) => done(error, false),
        );
      },
    });
    try {
      const { messageId } = await transport.sendMail({
        messageId: `<${envelope.id}@${domain}>`,
        from: { name: oneLine(provider.fromName ?? ""), address: from },
        to: { name: "", address: envelope.to },
        // The envelope is separate from the headers, so that headers cannot change the recipient.
        envelope: { from, to: [envelope.to] },
        subject: oneLine(envelope.subject ?? ""),
        text: envelope.text,
        ...(envelope.html !== null && { html: envelope.html }),
        // RFC 3834 §5: prevents automatic replies.
        headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
      });
      return { messageId };
    } catch (error) {
      throw signal.aborted ? signal.reason : toMessageError(error);
    } finally {
      signal.removeEventListener("abort", hangUp);
    }
  },
};

async function dial(outbound: Outbound, { host, port, security = "starttls" }: SmtpConfig, signal: AbortSignal) {
  const socket = await outbound.connect({ host, port: port ?? PORTS[security], tls: security === "tls", signal });
  // The guard allows public addresses and those that an operator has listed. So an address that is not public was listed, or is this machine.
  if (security === "none" && isPublicAddress(socket.remoteAddress ?? "")) {
    socket.destroy();
    throw new MessageError("insecure", new Error("config.security is none, and the host is on the public Internet"));
  }
  return socket;
}

function credentialsOf({ username }: SmtpConfig, secret: string | null): { user: string; pass: string } | null {
  if (username === undefined) return null;
  if (secret === null) throw new MessageError("credentials", new Error("config.username is set, and secret is not"));
  return { user: username, pass: secret };
}

const authority = ({ host, port, security = "starttls" }: SmtpConfig): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port ?? PORTS[security]}`;

function faultsOf(provider: Provider, outbound: Outbound): FieldFault[] {
  const { host, username, security = "starttls" } = provider.config as SmtpConfig;
  const faults: FieldFault[] = urlFaults(outbound, "config.host", `https://${authority(provider.config as SmtpConfig)}/`);
  if (security === "none" && isPublicAddress(host))
    faults.push({ field: "config.security", message: "config.security may be none only for a host in this server's own network" });
  if (provider.secret !== null && username === undefined)
    faults.push({ field: "config.username", message: "config.username is required with a secret, which is its password" });
  if (provider.secret !== null && /\p{Cc}/u.test(provider.secret))
    faults.push({ field: "secret", message: "secret must be one line, without control characters" });
  return faults;
}

interface SmtpError {
  readonly code?: string;
  readonly originalCode?: string;
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
}

/** Turns an error into a MessageError. Of a reply only the codes are kept, because its text may repeat the address or worse. */
function toMessageError(error: unknown): Error {
  if (error instanceof MessageError || error instanceof OutboundError) return error;
  const { code = "", originalCode = "", command = "", response, responseCode } = error as SmtpError;
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response ?? "")?.[1] ?? "";
  const reply = responseCode ? `answered ${responseCode} ${enhanced}`.trim() : [code, originalCode].filter(Boolean).join(" ");
  return new MessageError(failureOf(error as SmtpError, enhanced), new Error(`SMTP ${command}: ${reply}`));
}

function failureOf({ code, originalCode, command, responseCode = 0 }: SmtpError, enhanced: string): MessageFailure {
  if (code === "ETIMEDOUT") return "timeout";
  if (code === "ETLS" || /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME)/.test(originalCode ?? "")) return "insecure";
  // RFC 4954 §6: a 4xx reply such as 454 is a problem of the server; any other failed authentication is ours.
  if (code === "EAUTH") return responseCode >= 400 && responseCode < 500 ? "refused" : "credentials";
  if (responseCode === 530) return "credentials";
  // RFC 5321 §4.2.2 and RFC 3463 §3: temporary failures, including greylisting.
  if ([421, 450, 452].includes(responseCode) || enhanced.startsWith("4.7.")) return "throttled";
  if (responseCode >= 500) return command === "RCPT TO" ? "recipient" : "rejected";
  if (responseCode >= 400) return "refused";
  if (code === "EENVELOPE") return "rejected";
  return code === "ECONNECTION" || code === "ESOCKET" ? "unreachable" : "refused";
}
