import type { ServerResponse } from "node:http";
import { newId } from "../kernel/ids.ts";
import type { Channel, Provider } from "../tenancy/messaging/index.ts";
import { httpsPeer, type SeenRequest, sendJson } from "./https-peer.ts";
import { headerOf, readMail } from "./mail-parts.ts";
import { type Arrived, type Behaviour, type DriverPeer, PEER_HOST, type PeerParts } from "./message-driver-conformance.ts";
import { writeForEver } from "./peer-sockets.ts";
import { smtpPeer } from "./smtp-peer.ts";

const SECRET = "s3cret-of-the-provider";

export const providerOf = (channel: Channel, driver: string, more: Partial<Provider>): Provider => ({
  id: newId(),
  realm: "acme",
  version: 1,
  channel,
  driver,
  fromAddress: null,
  fromName: null,
  config: {},
  secret: SECRET,
  ...more,
});
/** Returns the provider with another secret, and thus another version. */
export const withSecret = (provider: Provider, secret: string): Provider => ({ ...provider, version: provider.version + 1, secret });

export async function smtpDriverPeer(security: "starttls" | "tls", { authority, trap }: PeerParts): Promise<DriverPeer> {
  let behaviour: Behaviour = "accept";
  let written = 0;
  const replies: Partial<Record<Behaviour, { code: number; text: string }>> = {
    "refuse recipient": { code: 550, text: "5.1.1 <ada@example.com> is unknown here, 918273" },
    throttle: { code: 450, text: "4.2.0 greylisted" },
    fail: { code: 451, text: "4.3.0 disk full" },
    redirect: { code: 551, text: `5.1.6 please try <${trap}>` },
  };
  const peer = await smtpPeer({
    security,
    identity: await authority.identity(PEER_HOST),
    account: { username: "acme", password: SECRET },
    reply: (command) => (command === "RCPT" ? (replies[behaviour] ?? null) : null),
    mode: () => (behaviour === "hang" || behaviour === "endless" ? behaviour : "talk"),
    onWritten: (bytes) => {
      written = bytes;
    },
  });
  const provider = providerOf("EMAIL", "smtp", {
    fromAddress: "no-reply@example.com",
    fromName: "Acmé",
    config: { host: PEER_HOST, port: peer.port, username: "acme", security },
  });
  return {
    provider,
    withWrongSecret: withSecret(provider, "not-the-password"),
    to: "ada@example.com",
    get arrived() {
      return peer.mails.map(({ raw, recipients, from }): Arrived => {
        const mail = readMail(raw);
        return {
          id: /^<(.+)@example\.com>$/.exec(headerOf(mail, "message-id") ?? "")?.[1] ?? "",
          to: recipients,
          from,
          title: headerOf(mail, "subject"),
          text: mail.text ?? "",
          html: mail.html,
          headers: mail.headers.map(([name]) => name),
        };
      });
    },
    listening: peer,
    behave: (next) => {
      behaviour = next;
    },
    written: () => written,
  };
}

/** Starts a peer with the behaviour that all HTTP peers share. */
export async function httpsDriverPeer(
  { authority, trap }: PeerParts,
  answer: (request: SeenRequest, response: ServerResponse, behaviour: Behaviour, arrived: Arrived[]) => unknown,
) {
  let behaviour: Behaviour = "accept";
  let written = 0;
  const arrived: Arrived[] = [];
  const listening = await httpsPeer(await authority.identity(PEER_HOST), async (request, response) => {
    if (behaviour === "hang") return;
    if (behaviour === "redirect") return response.writeHead(307, { location: trap }).end();
    if (behaviour === "fail") return sendJson(response, 503, { echo: request });
    if (behaviour === "endless") {
      response.writeHead(200, { "content-type": "application/json" });
      written = await writeForEver(response, "x".repeat(16_000));
      return;
    }
    return answer(request, response, behaviour, arrived);
  });
  const behave = (next: Behaviour) => {
    behaviour = next;
  };
  return { listening, arrived, behave, written: () => written, url: `https://${PEER_HOST}:${listening.port}` };
}

export const namesOf = ({ rawHeaders }: SeenRequest): string[] => rawHeaders.filter((_text, i) => i % 2 === 0);

export async function httpDriverPeer(channel: "EMAIL" | "SMS", contentType: "json" | "form", parts: PeerParts): Promise<DriverPeer> {
  const peer = await httpsDriverPeer(parts, (request, response, behaviour, arrived) => {
    // Like many gateways, it repeats the request when it refuses it.
    if (request.headers["x-api-key"] !== SECRET) return sendJson(response, 401, { echo: request });
    if (behaviour === "refuse recipient") return sendJson(response, 422, { error: "recipient", echo: request });
    if (behaviour === "throttle") return sendJson(response, 429, { echo: request }, { "retry-after": "7" });
    const fields: Record<string, string> =
      contentType === "json" ? JSON.parse(request.body).message : Object.fromEntries(new URLSearchParams(request.body));
    arrived.push({
      id: String(request.headers["idempotency-key"]),
      to: [fields.phone ?? ""],
      from: fields.sender ?? null,
      title: fields.title ?? null,
      text: fields.words ?? "",
      html: fields.markup ?? null,
      headers: namesOf(request),
    });
    return sendJson(response, 202, { id: "gateway-1" });
  });
  const mail = channel === "EMAIL";
  const members = { phone: "{{to}}", sender: "{{from}}", words: "{{text}}", ...(mail && { title: "{{subject}}", markup: "{{html}}" }) };
  const form = Object.entries(members).map(([name, placeholder]) => `${name}=${placeholder}`);
  const provider = providerOf(channel, "http", {
    fromAddress: mail ? "no-reply@example.com" : "+31201234567",
    config: {
      url: `${peer.url}/send`,
      contentType,
      body: contentType === "json" ? JSON.stringify({ message: members }) : form.join("&"),
      secretHeader: "X-Api-Key",
    },
  });
  return { ...peer, provider, withWrongSecret: withSecret(provider, "not-the-key"), to: mail ? "ada@example.com" : "+31612345678" };
}

export async function twilioDriverPeer(parts: PeerParts): Promise<DriverPeer> {
  const account = "AC0123456789abcdef0123456789abcdef";
  const peer = await httpsDriverPeer(parts, (request, response, behaviour, arrived) => {
    if (request.path !== `/2010-04-01/Accounts/${account}/Messages.json` || request.method !== "POST") return sendJson(response, 404, {});
    if (request.headers.authorization !== `Basic ${Buffer.from(`${account}:${SECRET}`).toString("base64")}`)
      return sendJson(response, 401, { code: 20003, message: `Authenticate ${request.headers.authorization}` });
    if (behaviour === "refuse recipient") return sendJson(response, 400, { code: 21211, message: `Invalid 'To' ${request.body}` });
    if (behaviour === "throttle") return sendJson(response, 429, { code: 20429 });
    const fields = new URLSearchParams(request.body);
    arrived.push({
      id: String(request.headers["idempotency-key"]),
      to: fields.getAll("To"),
      from: fields.get("From"),
      title: null,
      text: fields.get("Body") ?? "",
      html: null,
      headers: namesOf(request),
    });
    return sendJson(response, 201, { sid: "SM0123456789abcdef0123456789abcdef" });
  });
  const provider = providerOf("SMS", "twilio", { fromAddress: "+31201234567", config: { accountSid: account, baseUrl: peer.url } });
  return { ...peer, provider, withWrongSecret: withSecret(provider, "not-the-token"), to: "+31612345678" };
}
