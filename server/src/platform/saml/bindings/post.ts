import { decodeBase64 } from "../base64.ts";
import { SamlError } from "../errors.ts";
import { type ReceivedMessage, receive } from "../messages/received.ts";
import { MESSAGE_LIMITS, parseXml } from "../xml/parse.ts";
import { type Fragment, render } from "../xml/write.ts";
import { cameAs, parameterFor } from "./kind.ts";
import { checkedRelayState, type RelayStateLimit } from "./relay-state.ts";

/** base64 adds a third to the size, and line breaks add a little. */
const MAX_ENCODED = Math.ceil(MESSAGE_LIMITS.bytes * 1.4);

/** Returns a field of a form, or null if it is missing. Refuses a field that came twice, which is an array. */
export function formField(form: Readonly<Record<string, unknown>>, name: string): string | null {
  const value = Object.hasOwn(form, name) ? form[name] : undefined;
  if (value === undefined) return null;
  if (typeof value !== "string") throw new SamlError("binding", `The field ${name} is there twice`);
  return value;
}

/** Reads a message by the POST binding (SAML bindings §3.5.4). `form` contains the decoded fields. */
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

/** Returns the fields of the form that the browser is to post. */
export const postFields = (message: Fragment, relayState: string | null = null): Record<string, string> => ({
  [parameterFor(message.name)]: Buffer.from(render(message)).toString("base64"),
  ...(relayState ? { RelayState: relayState } : {}),
});
