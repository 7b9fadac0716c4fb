// A SAML identity provider that tests play: it reads our requests, and answers as a test configures, right or wrong.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { clock, MINUTE } from "../kernel/clock.ts";
import {
  AUTHN_CONTEXT,
  type AuthnRequest,
  artifactResponseElement,
  BINDING,
  errorResponse,
  idpMetadata,
  NAME_ID_FORMAT,
  type NewAssertion,
  newArtifact,
  newMessageId,
  openArtifactResolve,
  openAuthnRequest,
  type Protection,
  type ReceivedMessage,
  readPost,
  readRedirect,
  readSoap,
  render,
  STATUS,
  signed,
  soapEnvelope,
  successResponse,
  type VerificationKey,
} from "../platform/saml/index.ts";
import { restored, stored } from "../platform/saml/xml/write.ts";
import type { Answer } from "./browser.ts";
import { rs256 } from "./saml-messages.ts";
import { type Identity, makeIdentity } from "./saml-peers.ts";
import { hopOf } from "./service-provider.ts";

export interface Asked {
  readonly request: AuthnRequest;
  readonly signed: boolean;
  readonly relayState: string | null;
}

export interface SamlPeerAnswer {
  readonly assertion?: Partial<NewAssertion>;
  readonly response?: { readonly inResponseTo?: string | null; readonly destination?: string | null; readonly issuer?: string };
  readonly protection?: Partial<Protection>;
  /** The second status code of a response without an assertion. */
  readonly status?: string;
}

export type SamlPeer = Awaited<ReturnType<typeof samlPeer>>;

export async function samlPeer() {
  let identity = await makeIdentity();
  /** The messages by their artifacts. */
  const messages = new Map<string, string>();
  const resolved: ReceivedMessage[] = [];
  let published: Identity[] = [identity];
  let isDown = false;
  let ssoPath = "/sso";
  let tampered: ((soap: string) => string) | null = null;
  let held: Promise<void> | undefined;
  const calls: string[] = [];
  let base = "";

  const metadata = (by: readonly Identity[] = published, entityId = `${base}/entity`) =>
    idpMetadata({
      ...{ id: newMessageId(), entityId },
      idp: {
        signingCertificates: by.map(({ certificate }) => certificate),
        ...{ encryptionCertificates: [], encryptionMethods: [], nameIdFormats: [], displayName: null, wantAuthnRequestsSigned: true },
        singleSignOnServices: [BINDING.redirect, BINDING.post].map((binding) => ({
          binding,
          location: `${base}${ssoPath}`,
          responseLocation: null,
        })),
        singleLogoutServices: [BINDING.redirect, BINDING.post].map((binding) => ({
          binding,
          location: `${base}/slo`,
          responseLocation: null,
        })),
        artifactResolutionServices: [
          { binding: BINDING.soap, location: `${base}/artifact`, responseLocation: null, index: 0, isDefault: true },
        ],
      },
    });

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    calls.push(String(request.url));
    if (isDown) return void response.writeHead(503).end();
    if (request.url === "/metadata") await held;
    if (request.url === "/metadata") return void response.end(render(await signed(metadata(), rs256(identity))));
    if (request.url !== "/artifact") return void response.writeHead(404).end();
    const received = readSoap(Buffer.concat(chunks));
    resolved.push(received);
    const { message } = openArtifactResolve(received, { keys: [], required: false });
    const content = messages.get(message.artifact);
    messages.delete(message.artifact);
    const answer = artifactResponseElement({
      ...{ id: newMessageId(), issueInstant: clock.now(), issuer: `${base}/entity`, inResponseTo: message.id },
      ...{ status: { code: STATUS.success }, content: content === undefined ? null : restored(content) },
    });
    const soap = soapEnvelope(await signed(answer, rs256(identity)));
    response.setHeader("content-type", "text/xml").end(tampered?.(soap) ?? soap);
    tampered = null;
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const entityId = `${base}/entity`;

  const peer = {
    ...{ entityId, calls, resolved, metadata },
    sso: `${base}/sso`,
    metadataUrl: `${base}/metadata`,
    get identity() {
      return identity;
    },
    /** The least members of a provider record for it. */
    config: { ssoUrl: `${base}/sso`, idpEntityId: entityId, idpSigningCertificate: identity.pem },
    /** Signs with another key afterwards, and publishes it if `isPublished`. */
    async rotate(isPublished = true) {
      identity = await makeIdentity();
      if (isPublished) published = [identity];
    },
    /** Changes the next answer to an artifact. */
    tamper: (change: (soap: string) => string) => {
      tampered = change;
    },
    /** Publishes another address for single sign-on. */
    move: (path: string) => {
      ssoPath = path;
    },
    down: (is: boolean) => {
      isDown = is;
    },
    /** Keeps readers of its metadata waiting, until the function that it returns is called. */
    hold(): () => void {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    /** Reads the request with which a browser left: by an address, or by a page that posts. */
    async read(left: URL | Answer, keys: readonly VerificationKey[] = []): Promise<Asked> {
      const hop = left instanceof URL ? null : hopOf(left);
      const received = left instanceof URL ? await readRedirect(left.search.slice(1)) : readPost(hop!.form!);
      const { message, signed: isSigned } = await openAuthnRequest(received, { keys, required: keys.length > 0 });
      return { request: message, signed: isSigned, relayState: received.relayState };
    },
    /** Returns the message that answers a request. */
    async message({ request }: Pick<Asked, "request">, { assertion, response, protection, status }: SamlPeerAnswer = {}) {
      const now = clock.now();
      const acs = request.assertionConsumerServiceUrl!;
      const envelope = { id: newMessageId(), issueInstant: now, issuer: entityId, destination: acs, inResponseTo: request.id, ...response };
      const key = rs256(identity);
      if (status !== undefined) return signed(errorResponse(envelope, { code: STATUS.responder, subCode: status }), key);
      return successResponse(
        envelope,
        {
          ...{ id: newMessageId(), issueInstant: now, issuer: entityId, recipient: acs, inResponseTo: envelope.inResponseTo },
          nameId: { value: "ada-1", format: NAME_ID_FORMAT.persistent },
          ...{ notBefore: now - MINUTE, notOnOrAfter: now + 5 * MINUTE, audiences: [request.issuer!], authnInstant: now },
          ...{ sessionIndex: "_session-1", sessionNotOnOrAfter: null, classRef: AUTHN_CONTEXT.passwordProtectedTransport },
          attributes: [
            { name: "email", values: ["ada@example.com"] },
            { name: "firstName", values: ["Ada"] },
            { name: "lastName", values: ["Lovelace"] },
            { name: "username", values: ["ada"] },
            { name: "groups", values: ["staff", "boss"] },
          ],
          ...assertion,
        },
        { key, signAssertion: true, signResponse: true, ...protection },
      );
    },
    /** Returns the form that the browser posts to us. */
    async answer(requested: Asked, answer: SamlPeerAnswer = {}): Promise<Record<string, string>> {
      return peer.form(render(await peer.message(requested, answer)), requested.relayState);
    },
    form: (xml: string, relayState: string | null): Record<string, string> => ({
      SAMLResponse: Buffer.from(xml).toString("base64"),
      ...(relayState !== null && { RelayState: relayState }),
    }),
    /** Returns the query that the browser brings. */
    async artifact(requested: Asked, answer: SamlPeerAnswer = {}): Promise<Record<string, string>> {
      const SAMLart = newArtifact(entityId, 0);
      messages.set(SAMLart, stored(await peer.message(requested, answer)));
      return { SAMLart, ...(requested.relayState !== null && { RelayState: requested.relayState }) };
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
  return peer;
}
