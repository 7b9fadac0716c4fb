// A SAML service provider for tests that takes part in single logout: by the browser, or over SOAP at its own server.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { clock } from "../kernel/clock.ts";
import {
  type LogoutRequest,
  type LogoutResponse,
  logoutRequestElement,
  logoutResponseElement,
  type NameId,
  newMessageId,
  openLogoutRequest,
  openLogoutResponse,
  postFields,
  type ReceivedMessage,
  readPost,
  readRedirect,
  readSoap,
  redirectUrl,
  STATUS,
  signed,
  soapEnvelope,
} from "../platform/saml/index.ts";
import type { Answer, Browser } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";
import { leadsTo } from "./relying-party.ts";
import { rs256 } from "./saml-messages.ts";
import type { Identity } from "./saml-peers.ts";
import { hopOf, serviceProvider } from "./service-provider.ts";

type Binding = "redirect" | "post";

export interface LogoutOptions {
  readonly nameId?: NameId | { readonly value: string };
  readonly sessionIndexes?: readonly string[];
  readonly isSigned?: boolean;
  readonly relayState?: string;
  readonly more?: Record<string, unknown>;
}

export type LogoutProvider = Awaited<ReturnType<typeof logoutProvider>>;

export interface LogoutOptions {
  readonly binding?: Binding;
  readonly members?: Record<string, unknown>;
}

export const sessionsOf = ({ core }: SharedHarness, realm: RealmUnderTest) =>
  core.db.selectFrom("sessions").select("session_id").where("realm_id", "=", realm.name).execute();

/** Returns the reasons why messages were refused, newest first. */
export const refusalsOf = async (realm: RealmUnderTest): Promise<string[]> =>
  (await realm.events("type=SAML_LOGIN&outcome=FAILURE")).map(({ detail }: { detail: string }) => detail.split(":")[0]!);

/** Makes two service providers and a browser that is signed in to both. */
export async function pairOf(iam: SharedHarness, keys: Readonly<Record<"one" | "two", Identity>>, options: LogoutOptions = {}) {
  const realm = await iam.realm();
  const user = await realm.user();
  const browser = iam.browser();
  const one = await logoutProvider(iam, realm, "one", { identity: keys.one, ...options });
  const two = await logoutProvider(iam, realm, "two", { identity: keys.two, ...options });
  await one.join(browser, user);
  await two.join(browser, user);
  return { realm, user, browser, one, two };
}

export async function logoutProvider(
  iam: SharedHarness,
  realm: RealmUnderTest,
  name: string,
  { identity, binding = "redirect", members = {} }: LogoutOptions & { identity: Identity | undefined },
) {
  const location = `https://${name}.example/slo`;
  const { options, ...rest } = members as { options?: object };
  const sp = await serviceProvider(iam, realm, {
    entityId: `https://${name}.example/metadata`,
    assertionConsumerServiceUrl: `https://${name}.example/acs`,
    singleLogoutServiceUrl: location,
    options: { name, sloEndpoints: [{ url: location, binding, responseUrl: `${location}/answer` }], ...options },
    ...(identity && { identity }),
    ...rest,
  });
  const slo = `${sp.issuer}/saml/idp/slo`;
  const key = identity ? rs256(identity) : null;
  const path = (url: string) => url.replace(iam.config.baseUrl, "");
  let known: { nameId: NameId; sessionIndex: string } | null = null;
  const received = (hop: { location: string; form: Record<string, string> | null }): Promise<ReceivedMessage> =>
    hop.form ? Promise.resolve(readPost(hop.form)) : readRedirect(new URL(hop.location).search.slice(1));
  const trust = async () => ({ keys: await sp.keysOfRealm(), required: true });

  const provider = {
    ...sp,
    ...{ slo, location, name, follow },
    get known() {
      return known!;
    },
    async join(browser: Browser, user: { username: string; password: string }) {
      const { page, sent } = await sp.signIn(browser, user);
      const assertion = await sp.accept(page, sent.id);
      known = { nameId: assertion.subject!.nameId!, sessionIndex: assertion.authnStatements[0]!.sessionIndex! };
      return known;
    },
    /** Returns a LogoutRequest of this provider. */
    async logoutRequest({ nameId, sessionIndexes, isSigned = true, relayState, more = {} }: LogoutOptions = {}) {
      const id = newMessageId();
      const element = logoutRequestElement({
        ...{ id, issueInstant: clock.now(), issuer: sp.entityId, destination: slo },
        nameId: nameId ?? known!.nameId,
        sessionIndexes: sessionIndexes ?? [known!.sessionIndex],
        ...more,
      });
      const enveloped = isSigned ? await signed(element, key!) : element;
      return {
        id,
        url: await redirectUrl({ location: slo, message: element, relayState: relayState ?? null, key: isSigned ? key : null }),
        form: postFields(enveloped, relayState ?? null),
        soap: soapEnvelope(enveloped),
      };
    },
    /** Sends it by the browser. Returns the page that the browser reaches. */
    async askToLogOut(browser: Browser, { by = "redirect", ...options }: LogoutOptions & { by?: Binding } = {}): Promise<Answer> {
      const { url, form } = await provider.logoutRequest(options);
      const answer = by === "redirect" ? await browser.get(path(url)) : await browser.request("POST", path(slo), { form, csrf: false });
      return follow(browser, answer);
    },
    askBySoap: (soap: string) =>
      iam.server.app.inject({ method: "POST", url: path(slo), headers: { "content-type": "text/xml" }, payload: soap }),
    /** Returns the LogoutRequest that a page sends to it. */
    async asked(page: Answer): Promise<LogoutRequest> {
      const hop = hopOf(page);
      if (!hop?.location.startsWith(location)) throw new Error(`${name} gets no request: ${hop?.location} ${page.text}`);
      return (await openLogoutRequest(await received(hop), await trust())).message;
    },
    /** Sends its answer by the browser. */
    async answer(
      browser: Browser,
      inResponseTo: string,
      { by = "redirect", status = { code: STATUS.success as string }, isSigned = true }: AnswerOptions = {},
    ): Promise<Answer> {
      const element = logoutResponseElement({
        ...{ id: newMessageId(), issueInstant: clock.now(), issuer: sp.entityId, destination: slo, inResponseTo, status },
      });
      const signing = isSigned ? key : null;
      const answer =
        by === "redirect"
          ? await browser.get(path(await redirectUrl({ location: slo, message: element, key: signing })))
          : await browser.request("POST", path(slo), { form: postFields(signing ? await signed(element, signing) : element), csrf: false });
      return follow(browser, answer);
    },
    /** Returns the LogoutResponse that it gets, by a redirect or a form. */
    async answered(page: Answer): Promise<LogoutResponse & { relayState: string | null }> {
      const hop = hopOf(page) ?? { location: String(page.headers.location ?? ""), form: null };
      if (!hop.location.startsWith(`${location}/answer`))
        throw new Error(`${name} is not answered: ${page.status} ${hop.location} ${page.text}`);
      const message = await received(hop);
      return { ...openLogoutResponse(message, await trust()).message, relayState: message.relayState };
    },
    async answeredBySoap(body: string): Promise<LogoutResponse> {
      return openLogoutResponse(readSoap(Buffer.from(body)), await trust()).message;
    },
  };

  /** Follows redirects within the server. */
  async function follow(browser: Browser, from: Answer): Promise<Answer> {
    let page = from;
    for (let hops = 0; hops < 10; hops++) {
      const to = leadsTo(page);
      if (to === null) return page;
      if (!to.startsWith("/") && !to.startsWith(iam.config.baseUrl)) return page;
      page = await browser.get(path(to));
    }
    return page;
  }

  return provider;
}

interface AnswerOptions {
  readonly by?: Binding;
  readonly status?: { code: string; subCode?: string };
  readonly isSigned?: boolean;
}

/** Starts the SOAP side of a service provider, which records what it is sent and answers as configured. */
export async function soapPeer(identity: Identity) {
  const heard: string[] = [];
  const peer = {
    heard,
    url: "",
    status: 200,
    answer: { code: STATUS.success as string } as { code: string; subCode?: string },
    signs: true,
    issuer: "",
    close: () => server.close(),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    heard.push(body.toString());
    const [, id = ""] = / ID="([^"]+)"/.exec(body.toString()) ?? [];
    const element = logoutResponseElement({
      ...{ id: newMessageId(), issueInstant: clock.now(), issuer: peer.issuer, inResponseTo: id, status: peer.answer },
    });
    const content = soapEnvelope(peer.signs ? await signed(element, rs256(identity)) : element);
    response.writeHead(peer.status, { "content-type": "text/xml" }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  peer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slo`;
  return peer;
}
