import { SamlError } from "../errors.ts";
import { type ReceivedMessage, receive } from "../messages/received.ts";
import { NS } from "../names.ts";
import { MESSAGE_LIMITS, parseXml } from "../xml/parse.ts";
import { elementsOf, elementsOnly, isNamed, optionalChild } from "../xml/tree.ts";
import { element, type Fragment, render } from "../xml/write.ts";

/** The value of `SOAPAction` (SAML bindings §3.2.3.1). */
export const SOAP_ACTION = "http://www.oasis-open.org/committees/security";

/** Reads a SOAP message (SAML bindings §3.2.2), whose body has the message as its only element. Headers are not read, so they must not be required. */
export function readSoap(bytes: Uint8Array): ReceivedMessage {
  const envelope = parseXml(bytes, MESSAGE_LIMITS);
  if (!isNamed(envelope, NS.soap, "Envelope")) throw new SamlError("binding", "This is no SOAP 1.1 envelope");
  // SimpleSAMLphp writes a stray backslash before its Header, so text in the envelope is ignored.
  const parts = elementsOf(envelope);
  const body = parts.at(-1);
  const header = optionalChild(envelope, NS.soap, "Header", "binding");
  if (!body || !isNamed(body, NS.soap, "Body") || parts.length > (header ? 2 : 1) || (header && parts[0] !== header))
    throw new SamlError("binding", "A SOAP envelope holds at most one Header and one Body");
  for (const block of header ? elementsOnly(header, "binding") : []) {
    const must = block.attributes.some(
      ({ namespace, local, value }) => namespace === NS.soap && local === "mustUnderstand" && value !== "0",
    );
    if (must) throw new SamlError("binding", `The SOAP header ${block.local} has to be understood and is not`);
  }
  const [message, ...more] = elementsOnly(body, "binding");
  if (!message || more.length > 0) throw new SamlError("binding", "A SOAP body holds one message");
  if (isNamed(message, NS.soap, "Fault")) throw new SamlError("binding", "The peer answers with a SOAP fault");
  return receive(message, { binding: "soap" });
}

export const soapEnvelope = (message: Fragment): string => render(element("soap:Envelope", {}, element("soap:Body", {}, message)));

/** Returns a fault (SOAP 1.1 §4.4), whose parts have no namespace. The text is the same for every cause, because the reason is in our own events. */
export const soapFault = (): string => {
  const parts = "<faultcode>soap:Client</faultcode><faultstring>The message was not accepted</faultstring>";
  return render(element("soap:Envelope", {}, element("soap:Body", {}, element("soap:Fault", {}, { text: parts, declares: new Set() }))));
};
