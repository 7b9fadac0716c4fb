import { createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import { SMTPServer } from "smtp-server";
import { type Listening, listenOnLoopback, writeForEver } from "./peer-sockets.ts";
import type { Identity } from "./private-authority.ts";

export interface SeenMail {
  readonly from: string;
  readonly recipients: readonly string[];
  /** The text between DATA and the dot. */
  readonly raw: string;
  readonly user: string | null;
  /** True if the message came over TLS. */
  readonly secure: boolean;
  readonly greetedAs: string;
  readonly utf8: boolean;
}

export interface SmtpPeer extends Listening {
  readonly mails: SeenMail[];
  /** The passwords that were offered, and whether this happened over TLS. */
  readonly logins: { readonly password: string; readonly secure: boolean }[];
}

export interface SmtpPeerOptions {
  readonly security: "starttls" | "tls" | "none";
  readonly identity: Identity;
  readonly account?: { readonly username: string; readonly password: string };
  /** Returns the reply to a command, or null to accept it. */
  readonly reply?: (command: "MAIL" | "RCPT" | "DATA" | "AUTH", value: string) => { code: number; text: string } | null;
  /** Called for each connection. */
  readonly mode?: () => "talk" | "hang" | "endless";
  readonly onWritten?: (bytes: number) => void;
}

/** Starts a real SMTP server, whose sockets can also misbehave. */
export async function smtpPeer(options: SmtpPeerOptions): Promise<SmtpPeer> {
  const mails: SeenMail[] = [];
  const logins: { password: string; secure: boolean }[] = [];
  const refusing = (command: "MAIL" | "RCPT" | "DATA" | "AUTH", value: string): Error | null => {
    const reply = options.reply?.(command, value) ?? null;
    return reply && Object.assign(new Error(reply.text), { responseCode: reply.code });
  };
  const smtp = new SMTPServer({
    secure: options.security === "tls",
    ...options.identity,
    logger: false,
    // The peer offers only what its mode allows: no STARTTLS without TLS, and credentials also in the clear.
    disabledCommands: options.security === "starttls" ? [] : ["STARTTLS"],
    allowInsecureAuth: options.security === "none",
    authOptional: options.account === undefined,
    ...(options.account === undefined && { disabledCommands: options.security === "starttls" ? ["AUTH"] : ["AUTH", "STARTTLS"] }),
    onAuth(auth, session, done) {
      logins.push({ password: auth.password ?? "", secure: session.secure });
      const refused = refusing("AUTH", auth.username ?? "");
      if (refused) return done(refused);
      const { account } = options;
      if (auth.username === account?.username && auth.password === account?.password) return done(null, { user: auth.username });
      // Like some servers, it repeats what it was given.
      done(Object.assign(new Error(`5.7.8 no such account ${auth.username} ${auth.password}`), { responseCode: 535 }));
    },
    onMailFrom: ({ address }, _session, done) => done(refusing("MAIL", address)),
    onRcptTo: ({ address }, _session, done) => done(refusing("RCPT", address)),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString("utf8");
        const refused = refusing("DATA", raw);
        if (refused) return done(refused);
        const { envelope, user, secure, hostNameAppearsAs } = session;
        mails.push({
          from: envelope.mailFrom ? envelope.mailFrom.address : "",
          recipients: envelope.rcptTo.map(({ address }) => address),
          raw,
          user: user || null,
          secure,
          greetedAs: hostNameAppearsAs,
          utf8: envelope.smtpUtf8 === true,
        });
        done(null, "kept");
      });
    },
  });
  smtp.on("error", () => {});
  const front = createServer((socket) => {
    const mode = options.mode?.() ?? "talk";
    if (mode === "talk") smtp.server.emit("connection", socket);
    if (mode === "endless")
      void writeForEver(secured(socket, options), `220-${"x".repeat(16_000)}`).then((bytes) => options.onWritten?.(bytes));
  });
  const listening = await listenOnLoopback(front);
  return { ...listening, mails, logins };
}

function secured(socket: Socket, { security, identity }: SmtpPeerOptions): Socket {
  if (security !== "tls") return socket;
  const tls = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext({ ...identity }) });
  tls.on("error", () => {});
  return tls;
}
