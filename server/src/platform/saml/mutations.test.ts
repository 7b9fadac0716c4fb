// Random edits of good messages: each is refused, or what was verified is exactly the same.
import { beforeAll, expect, test } from "vitest";
import { seededRandom } from "../../testing/api-driver/random.ts";
import { mutated } from "../../testing/saml-attacks.ts";
import { envelope, goodAssertion, goodAuthnRequest, goodSpRole, NOW, REQUEST_ID, rs256, SP, SSO } from "../../testing/saml-messages.ts";
import { type Identity, makeIdentity } from "../../testing/saml-peers.ts";
import {
  authnRequestElement,
  openAuthnRequest,
  openResponse,
  readMetadata,
  readPost,
  readRedirect,
  redirectUrl,
  render,
  SamlError,
  signed,
  spMetadata,
  successResponse,
  verificationKey,
} from "./index.ts";

let idp: Identity;
let sp: Identity;

beforeAll(async () => {
  [idp, sp] = await Promise.all([makeIdentity(), makeIdentity()]);
});

/** Runs the mutations and counts what was accepted all the same, always with the same content. */
async function survivors(good: string, rounds: number, seed: number, open: (text: string) => Promise<unknown>): Promise<number> {
  const expected = await open(good);
  const next = seededRandom(seed).below;
  let accepted = 0;
  for (let round = 0; round < rounds; round++) {
    const text = mutated(good, next);
    try {
      const content = await open(text);
      expect(content, text).toEqual(expected);
      accepted += 1;
    } catch (error) {
      if (!(error instanceof SamlError)) throw error;
    }
  }
  return accepted;
}

const openTheResponse = async (xml: string) => {
  const received = readPost({ SAMLResponse: Buffer.from(xml).toString("base64") });
  const opened = await openResponse(received, {
    keys: [verificationKey(idp.certificate)],
    decryption: { keys: [sp.privateKey], allowCbc: true },
  });
  // Without its own signature, the Response says nothing that counts.
  if (opened.responseSigned) expect(opened.response.inResponseTo).toBe(REQUEST_ID);
  return opened.assertion;
};

const makeResponse = (signResponse: boolean, encrypt: boolean) =>
  successResponse({ ...envelope(), inResponseTo: REQUEST_ID }, goodAssertion(), {
    key: rs256(idp),
    signAssertion: true,
    signResponse,
    recipient: encrypt ? { key: sp.publicKey } : null,
  });

test("a thousand of a signed Response with a signed assertion", async () => {
  const accepted = await survivors(render(await makeResponse(true, false)), 1_000, 1, openTheResponse);
  // Only what says nothing can be changed: KeyInfo, encodings of the same characters.
  expect(accepted).toBeLessThan(400);
});

test("two hundred of a Response in which only the assertion is signed", async () => {
  const assertion = async (xml: string) => openTheResponse(xml);
  expect(await survivors(render(await makeResponse(false, false)), 200, 2, assertion)).toBeLessThan(120);
});

test("two hundred of an encrypted assertion", async () => {
  expect(await survivors(render(await makeResponse(false, true)), 200, 3, openTheResponse)).toBeLessThan(140);
});

test("two hundred of a signed query", async () => {
  const url = await redirectUrl({ location: SSO, message: authnRequestElement(goodAuthnRequest()), relayState: "relay", key: rs256(sp) });
  const open = async (query: string) => {
    const received = await readRedirect(query);
    const { message } = await openAuthnRequest(received, { keys: [verificationKey(sp.certificate)], required: true });
    return { message, relayState: received.relayState };
  };
  expect(await survivors(url.slice(url.indexOf("?") + 1), 200, 4, open)).toBeLessThan(60);
});

test("two hundred of signed metadata", async () => {
  const xml = render(await signed(spMetadata({ id: "_md", entityId: SP, sp: goodSpRole(sp.certificate) }), rs256(sp)));
  const open = async (text: string) => readMetadata(Buffer.from(text), { now: NOW, keys: [verificationKey(sp.certificate)] });
  expect(await survivors(xml, 200, 5, open)).toBeLessThan(100);
});
