import { NS, STATUS } from "../names.ts";
import { onlyChild, optionalChild, requiredAttribute, textOf, type XmlElement } from "../xml/tree.ts";
import { element, type Fragment } from "../xml/write.ts";

/** SAML core §3.2.2.1. */
export interface Status {
  readonly code: string;
  readonly subCode: string | null;
  readonly message: string | null;
}

export function readStatus(response: XmlElement): Status {
  const status = onlyChild(response, NS.samlp, "Status", "status");
  const top = onlyChild(status, NS.samlp, "StatusCode", "status");
  const second = optionalChild(top, NS.samlp, "StatusCode", "status");
  const message = optionalChild(status, NS.samlp, "StatusMessage", "status");
  return {
    code: requiredAttribute(top, "Value", "status"),
    subCode: second && requiredAttribute(second, "Value", "status"),
    message: message && textOf(message, "status"),
  };
}

export const isSuccess = ({ code }: Status): boolean => code === STATUS.success;

export const statusElement = ({ code, subCode, message }: { code: string; subCode?: string | null; message?: string | null }): Fragment =>
  element(
    "samlp:Status",
    {},
    element("samlp:StatusCode", { Value: code }, subCode ? element("samlp:StatusCode", { Value: subCode }) : null),
    message ? element("samlp:StatusMessage", {}, message) : null,
  );
