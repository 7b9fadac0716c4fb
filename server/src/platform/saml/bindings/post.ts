import { decodeBase64 } from "../base64.ts";
import { SamlError } from "../errors.ts";
import { type ReceivedMessage, receive } from "../messages/received.ts";
import { MESSAGE_LIMITS, parseXml } from "../xml/parse.ts";
import { type Fragment, render } from "../xml/write.ts";
import { cameAs, parameterFor } from "./kind.ts";
import { checkedRelayState, type RelayStateLimit } from "./relay-state.ts";

/** A third more for base64, and line breaks. */
const MAX_ENCODED = Math.ceil(MESSAGE_LIMITS.bytes * 1.4);

/** A form's field; one that came twice is an array by now. */
export function formField(form: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = Object.hasOwn(form, name) ? form[name] : undefined;
  if (value === undefined) return null;
  if (typeof value !== "string") throw new SamlError("binding", `The field ${name} is there twice`);
  return value;
}

/** SAML bindings §3.5.4. `form` holds the fields as they were posted, decoded. */
export function readPost(form: Readonly<Record<string, unknown>>, limit: RelayStateLimit = {}): ReceivedMessage {
  const request = formField(form, "SAMLRequest");
  const response = formField(form, "SAMLResponse");
  if (request !== null && response !== null) throw new SamlError("binding", "There is both a SAMLRequest and a SAMLResponse");
  const parameter = request === null ? "SAMLResponse" : "SAMLRequest";
  const encoded = request ?? response;
  if (encoded === null) throw new SamlError("binding", "There is neither a SAMLRequest nor a SAMLResponse");
  if (encoded.length > MAX_ENCODED) throw new SamlError("size", "The message is too large");
  const received = receive(parseXml(decodeBase64(encoded, "binding", parameter), MESSAGE_LIMITS), {
    binding: "post",
    relayState: checkedRelayState(formField(form, "RelayState"), limit),
  });
  cameAs(parameter, received);
  return received;
}

/** The fields of the form that the browser is to post. */
export const postFields = (message: Fragment, relayState: string | null = null): Record<string, string> => ({
  [parameterFor(message.name)]: Buffer.from(render(message)).toString("base64"),
  ...(relayState ? { RelayState: relayState } : {}),
});
