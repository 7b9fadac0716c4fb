import type { RequestedAttribute } from "../metadata/types.ts";
import { ATTRIBUTE_NAME_FORMAT } from "../names.ts";
import { element, type Fragment } from "../xml/write.ts";

/** The kind of service provider and the attributes that it requests (eIDAS SAML message format §2.3.2). */
export interface EidasRequest {
  readonly spType: "public" | "private";
  readonly requestedAttributes: readonly Pick<RequestedAttribute, "name" | "isRequired">[];
}

/** Returns the Extensions of an AuthnRequest to an eIDAS node. */
export const eidasExtensions = ({ spType, requestedAttributes }: EidasRequest): Fragment =>
  element(
    "samlp:Extensions",
    {},
    element("eidas:SPType", {}, spType),
    element(
      "eidas:RequestedAttributes",
      {},
      ...requestedAttributes.map(({ name, isRequired }) =>
        element("eidas:RequestedAttribute", { Name: name, NameFormat: ATTRIBUTE_NAME_FORMAT.uri, isRequired }),
      ),
    ),
  );
