import { ATTRIBUTE_NAME_FORMAT, BEARER } from "../names.ts";
import { element, type Fragment } from "../xml/write.ts";
import { type NameId, nameIdElement } from "./name-id.ts";
import { instant } from "./values.ts";

/** An assertion of the Web Browser SSO profile (SAML profiles §4.1.4.2), with one bearer confirmation and one authentication. Times are epoch milliseconds. */
export interface NewAssertion {
  readonly id: string;
  readonly issueInstant: number;
  readonly issuer: string;
  readonly nameId: Partial<NameId> & { readonly value: string };
  /** The assertion consumer service to which it is sent. */
  readonly recipient: string;
  /** Null for an unsolicited (IdP-initiated) assertion. */
  readonly inResponseTo: string | null;
  readonly notBefore: number;
  readonly notOnOrAfter: number;
  readonly audiences: readonly string[];
  readonly authnInstant: number;
  readonly sessionIndex: string;
  readonly sessionNotOnOrAfter?: number | null;
  readonly classRef: string;
  readonly authenticatingAuthorities?: readonly string[];
  readonly attributes: readonly NewAttribute[];
}

export interface NewAttribute {
  readonly name: string;
  readonly nameFormat?: string;
  readonly friendlyName?: string | null;
  readonly values: readonly string[];
}

export const assertionElement = (assertion: NewAssertion): Fragment =>
  element(
    "saml:Assertion",
    { ID: assertion.id, IssueInstant: instant(assertion.issueInstant), Version: "2.0" },
    element("saml:Issuer", {}, assertion.issuer),
    element(
      "saml:Subject",
      {},
      nameIdElement(assertion.nameId),
      element(
        "saml:SubjectConfirmation",
        { Method: BEARER },
        element("saml:SubjectConfirmationData", {
          InResponseTo: assertion.inResponseTo,
          NotOnOrAfter: instant(assertion.notOnOrAfter),
          Recipient: assertion.recipient,
        }),
      ),
    ),
    element(
      "saml:Conditions",
      { NotBefore: instant(assertion.notBefore), NotOnOrAfter: instant(assertion.notOnOrAfter) },
      element("saml:AudienceRestriction", {}, ...assertion.audiences.map((audience) => element("saml:Audience", {}, audience))),
    ),
    authnStatement(assertion),
    assertion.attributes.length > 0 && element("saml:AttributeStatement", {}, ...assertion.attributes.map(attributeElement)),
  );

const authnStatement = (assertion: NewAssertion): Fragment =>
  element(
    "saml:AuthnStatement",
    {
      AuthnInstant: instant(assertion.authnInstant),
      SessionIndex: assertion.sessionIndex,
      SessionNotOnOrAfter: assertion.sessionNotOnOrAfter == null ? null : instant(assertion.sessionNotOnOrAfter),
    },
    element(
      "saml:AuthnContext",
      {},
      element("saml:AuthnContextClassRef", {}, assertion.classRef),
      ...(assertion.authenticatingAuthorities ?? []).map((authority) => element("saml:AuthenticatingAuthority", {}, authority)),
    ),
  );

/** Writes an attribute. Its values have no xsi:type: every signature would have to name its prefix, and without it they are text anyway. */
const attributeElement = ({ name, nameFormat = ATTRIBUTE_NAME_FORMAT.basic, friendlyName, values }: NewAttribute): Fragment =>
  element(
    "saml:Attribute",
    { FriendlyName: friendlyName, Name: name, NameFormat: nameFormat },
    ...values.map((value) => element("saml:AttributeValue", {}, value)),
  );
