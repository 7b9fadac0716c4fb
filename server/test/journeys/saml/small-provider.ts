// A small service provider on loopback, which uses the other half of the SAML core. It signs in, signs out, and answers LogoutRequests, or does not.
import {
  authnRequestElement,
  logoutRequestElement,
  logoutResponseElement,
  type NameId,
  newMessageId,
  openLogoutRequest,
  openLogoutResponse,
  openResponse,
  postFields,
  type ReceivedMessage,
  readPost,
  readRedirect,
  redirectUrl,
  STATUS,
  signed,
  verificationKey,
} from "../../../src/platform/saml/index.ts";
import { rs256 } from "../../../src/testing/saml-messages.ts";
import { makeIdentity } from "../../../src/testing/saml-peers.ts";
import { html, type Site, startSite } from "../site.ts";
import { must, type Visitor } from "../visitor.ts";

type Binding = "redirect" | "post";

export interface SmallProvider extends Site {
  readonly entityId: string;
  /** True to never answer a LogoutRequest. */
  isSilent: boolean;
  /** The number of logout requests that it received. */
  asked: number;
}

export interface SmallProviderOptions {
  readonly admin: Visitor;
  /** The realm's issuer. */
  readonly issuer: string;
  readonly name: string;
  readonly binding?: Binding;
  readonly options?: object;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Starts it. Its pages are `/login`, `/logout`, and the result: "In at {name}", "Out of {name}: {status}". */
export async function startSmallProvider({
  admin,
  issuer,
  name,
  binding = "redirect",
  options = {},
}: SmallProviderOptions): Promise<SmallProvider> {
  const identity = await makeIdentity();
  const key = rs256(identity);
  const realm = `/admin/realms/${issuer.split("/").at(-1)}`;
  const sso = `${issuer}/saml/idp/sso`;
  const slo = `${issuer}/saml/idp/slo`;
  let known: { nameId: NameId; sessionIndex: string } | null = null;

  const envelope = (destination: string) => ({ id: newMessageId(), issueInstant: Date.now(), issuer: provider.entityId, destination });
  const trust = async () => {
    const keys = must(await admin.get(`${realm}/keys`), 200) as { certificate: string }[];
    return { keys: keys.map(({ certificate }) => verificationKey(certificate)), required: true };
  };
  const send = async (location: string, message: Parameters<typeof signed>[0], by: Binding): Promise<Response> => {
    if (by === "redirect")
      return new Response(null, { status: 303, headers: { location: await redirectUrl({ location, message, key, relayState: null }) } });
    const fields = Object.entries(postFields(await signed(message, key), null)).map(
      ([field, value]) => `<input type="hidden" name="${field}" value="${escaped(value)}">`,
    );
    return html(
      `<form method="post" action="${escaped(location)}">${fields.join("")}<button>Go on</button></form><script>document.forms[0].submit()</script>`,
    );
  };
  const received = async (request: Request): Promise<ReceivedMessage> =>
    request.method === "POST"
      ? readPost(Object.fromEntries(new URLSearchParams(await request.text())))
      : readRedirect(new URL(request.url).search.slice(1));

  const answer = async (request: Request): Promise<Response> => {
    switch (new URL(request.url).pathname) {
      case "/login":
        return send(sso, authnRequestElement(envelope(sso)), binding);
      case "/acs": {
        const { assertion } = await openResponse(await received(request), await trust());
        if (!assertion) return html(`<h1>Refused at ${name}</h1>`);
        known = { nameId: assertion.subject!.nameId!, sessionIndex: assertion.authnStatements[0]!.sessionIndex! };
        return html(`<h1>In at ${name}</h1>`);
      }
      case "/logout": {
        const { nameId, sessionIndex } = known!;
        return send(slo, logoutRequestElement({ ...envelope(slo), nameId, sessionIndexes: [sessionIndex] }), binding);
      }
      case "/slo": {
        const { id: inResponseTo } = (await openLogoutRequest(await received(request), await trust())).message;
        provider.asked += 1;
        if (provider.isSilent) return new Promise(() => {});
        return send(slo, logoutResponseElement({ ...envelope(slo), inResponseTo, status: { code: STATUS.success } }), binding);
      }
      case "/slo/answer": {
        const { code, subCode } = openLogoutResponse(await received(request), await trust()).message.status;
        const shown = [code, subCode].flatMap((urn) => (urn ? [urn.split(":").at(-1)] : []));
        return html(`<h1>Out of ${name}: ${shown.join(", ")}</h1>`);
      }
      default:
        return new Response("not found", { status: 404 });
    }
  };

  const site = await startSite(answer);
  const provider: SmallProvider = { ...site, entityId: `${site.url}/metadata`, isSilent: false, asked: 0 };
  const client = {
    entityId: provider.entityId,
    assertionConsumerServiceUrl: `${site.url}/acs`,
    singleLogoutServiceUrl: `${site.url}/slo`,
    signingCertificate: identity.pem,
    options: { name, sloEndpoints: [{ url: `${site.url}/slo`, binding, responseUrl: `${site.url}/slo/answer` }], ...options },
  };
  must(await admin.post(`${realm}/saml-clients`, client), 201);
  return provider;
}
