// A SAML service provider for tests: it registers itself, sends requests and reads answers with the other half of the SAML core.
import { clock } from "../kernel/clock.ts";
import {
  authnRequestElement,
  checkSignIn,
  type NewAuthnRequest,
  newMessageId,
  openResponse,
  postFields,
  readPost,
  redirectUrl,
  signed,
  verificationKey,
} from "../platform/saml/index.ts";
import type { Answer, Browser } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";
import { submit, walk } from "./relying-party.ts";
import { rs256 } from "./saml-messages.ts";
import type { Identity } from "./saml-peers.ts";

export const ACS = "https://sp.example/acs";

export interface Sent {
  readonly id: string;
  readonly form: Record<string, string>;
  readonly url: string;
}

export interface RequestOptions extends Partial<NewAuthnRequest> {
  readonly relayState?: string;
  /** True to sign the request. This is the default if the service provider has a key. */
  readonly isSigned?: boolean;
}

export type ServiceProvider = Awaited<ReturnType<typeof serviceProvider>>;

const unescaped = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** Returns the address to which a page leads its browser: by a link, or by a form. */
export function hopOf({ text }: Answer): { location: string; form: Record<string, string> | null } | null {
  const link = /<a class="[^"]*" href="([^"]+)" data-hop/.exec(text);
  if (link) return { location: unescaped(link[1]!), form: null };
  const form = /<form class="gh-form" method="post" action="([^"]+)" data-hop[^>]*>([\s\S]*?)<\/form>/.exec(text);
  if (!form) return null;
  const fields = [...form[2]!.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
    name!,
    unescaped(value!),
  ]);
  return { location: unescaped(form[1]!), form: Object.fromEntries(fields) };
}

/** Returns the page's form for the service provider: its action and its fields. */
export function postedBy(page: Answer): { action: string; fields: Record<string, string> } {
  const { location: action, form } = hopOf(page) ?? { location: "", form: null };
  return { action, fields: form ?? {} };
}

export const xmlIn = (page: Answer): string => Buffer.from(postedBy(page).fields.SAMLResponse ?? "", "base64").toString("utf8");

export async function serviceProvider(
  iam: SharedHarness,
  realm: RealmUnderTest,
  { identity, ...members }: { readonly identity?: Identity } & Record<string, unknown> = {},
) {
  const { baseUrl } = iam.config;
  const issuer = `${baseUrl}/realms/${realm.name}`;
  const sso = `${issuer}/saml/idp/sso`;
  const made = await realm.asMaster().post("/saml-clients", {
    entityId: "https://sp.example/metadata",
    assertionConsumerServiceUrl: ACS,
    ...(identity && { signingCertificate: identity.pem }),
    ...members,
  });
  if (made.status !== 201) throw new Error(`could not create a SAML client: ${made.status} ${made.text}`);
  const { entityId } = made.body as { entityId: string };
  const key = identity ? rs256(identity) : null;
  const keysOfRealm = async () =>
    ((await realm.asMaster().get("/keys")).body as { certificate: string }[]).map(({ certificate }) => verificationKey(certificate));

  const sp = {
    ...{ entityId, issuer, sso, identity, realm },
    /** Makes an AuthnRequest, which can be sent by either binding. */
    async request({ relayState, isSigned = identity !== undefined, ...more }: RequestOptions = {}): Promise<Sent> {
      const id = newMessageId();
      const element = authnRequestElement({ id, issueInstant: clock.now(), issuer: entityId, destination: sso, ...more });
      const form = postFields(isSigned ? await signed(element, key!) : element, relayState ?? null);
      const url = await redirectUrl({ location: sso, message: element, relayState: relayState ?? null, key: isSigned ? key : null });
      return { id: more.id ?? id, form, url };
    },
    post: (browser: Browser, { form }: Pick<Sent, "form">) => browser.request("POST", new URL(sso).pathname, { form, csrf: false }),
    /** Sends the request and follows it, and signs in on the sign-in page. Returns the page that posts the answer, or the next one. */
    async signIn(
      browser: Browser,
      user: { username: string; password: string },
      options: RequestOptions & { by?: "post" | "redirect" } = {},
    ) {
      const { by = "redirect", ...asked } = options;
      const sent = await sp.request(asked);
      const began = await walk(browser, baseUrl, by === "redirect" ? sent.url : await sp.post(browser, sent));
      const isForm = began.page.text.includes('name="password"');
      const { page, left } = isForm
        ? await submit(browser, baseUrl, began.page, { username: user.username, password: user.password })
        : began;
      return { sent, page, left, asked: isForm };
    },
    /** Opens the response that a page posts, and verifies it with the realm's keys. */
    async open(page: Answer, decryption?: Parameters<typeof openResponse>[1]["decryption"]) {
      const received = readPost(postedBy(page).fields, { relayStateBytes: 4_096 });
      return openResponse(received, { keys: await keysOfRealm(), ...(decryption && { decryption }) });
    },
    /** Returns the assertion, checked as a service provider has to. */
    async accept(page: Answer, id: string | null, decryption?: Parameters<typeof openResponse>[1]["decryption"]) {
      const opened = await sp.open(page, decryption);
      const expected = { now: clock.now(), issuer, audience: entityId, recipient: postedBy(page).action, inResponseTo: id };
      return checkSignIn(opened, expected).assertion;
    },
    keysOfRealm,
  };
  return sp;
}
