import type { Decryption } from "../encryption/decrypt.ts";
import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";
import {
  attributeOf,
  childrenNamed,
  elementsOf,
  onlyChild,
  optionalChild,
  requiredAttribute,
  textOf,
  trimmedTextOf,
  type XmlElement,
} from "../xml/tree.ts";
import { checkVersion, issuerOf } from "./envelope.ts";
import { decryptNameId, type NameId, nameIdIn, readNameId } from "./name-id.ts";
import { optionalInstant, requiredId, requiredInstant } from "./values.ts";

/** SAML core §2.4.1.1. */
export interface SubjectConfirmation {
  readonly method: string;
  readonly recipient: string | null;
  readonly inResponseTo: string | null;
  readonly notBefore: number | null;
  readonly notOnOrAfter: number | null;
  readonly address: string | null;
}

/** SAML core §2.5.1. */
export interface Conditions {
  readonly notBefore: number | null;
  readonly notOnOrAfter: number | null;
  /** Every one of these restrictions must be met. */
  readonly audienceRestrictions: readonly (readonly string[])[];
  readonly oneTimeUse: boolean;
}

/** SAML core §2.7.2. */
export interface AuthnStatement {
  readonly authnInstant: number;
  readonly sessionIndex: string | null;
  readonly sessionNotOnOrAfter: number | null;
  readonly classRef: string | null;
  readonly authenticatingAuthorities: readonly string[];
}

/** SAML core §2.7.3.1.1: text, or a NameID. `null` stands for xsi:nil or an unknown element. */
export type AttributeValue = string | NameId | null;

export interface Attribute {
  readonly name: string;
  readonly nameFormat: string | null;
  readonly friendlyName: string | null;
  readonly values: readonly AttributeValue[];
}

/** SAML core §2.3.3. */
export interface Assertion {
  readonly id: string;
  readonly issueInstant: number;
  readonly issuer: string;
  readonly subject: { readonly nameId: NameId | null; readonly confirmations: readonly SubjectConfirmation[] } | null;
  readonly conditions: Conditions | null;
  readonly authnStatements: readonly AuthnStatement[];
  /** The number of AttributeStatements that the attributes come from. */
  readonly attributeStatements: number;
  readonly attributes: readonly Attribute[];
}

/** Reads an assertion that was verified. It ignores Advice, which may contain whole assertions of others. */
export async function readAssertion(assertion: XmlElement, decryption: Decryption | undefined): Promise<Assertion> {
  checkVersion(assertion);
  const issuer = issuerOf(assertion);
  if (issuer === null) throw new SamlError("issuer", "Assertion has no Issuer");
  const subject = optionalChild(assertion, NS.saml, "Subject");
  const conditions = optionalChild(assertion, NS.saml, "Conditions");
  const statements = childrenNamed(assertion, NS.saml, "AttributeStatement");
  const attributes = statements.flatMap((statement) => attributesOf(statement));
  return {
    id: requiredId(assertion),
    issueInstant: requiredInstant(assertion, "IssueInstant"),
    issuer,
    subject: subject && {
      nameId: await nameIdIn(subject, decryption, true),
      confirmations: childrenNamed(subject, NS.saml, "SubjectConfirmation").map(readConfirmation),
    },
    conditions: conditions && readConditions(conditions),
    authnStatements: childrenNamed(assertion, NS.saml, "AuthnStatement").map(readAuthnStatement),
    attributeStatements: statements.length,
    attributes: await Promise.all(attributes.map((attribute) => readAttribute(attribute, decryption))),
  };
}

function readConfirmation(confirmation: XmlElement): SubjectConfirmation {
  const data = optionalChild(confirmation, NS.saml, "SubjectConfirmationData");
  return {
    method: requiredAttribute(confirmation, "Method"),
    recipient: data && attributeOf(data, "Recipient"),
    inResponseTo: data && attributeOf(data, "InResponseTo"),
    notBefore: data && optionalInstant(data, "NotBefore"),
    notOnOrAfter: data && optionalInstant(data, "NotOnOrAfter"),
    address: data && attributeOf(data, "Address"),
  };
}

const KNOWN_CONDITIONS = ["AudienceRestriction", "OneTimeUse", "ProxyRestriction"];

/** Reads the conditions. SAML core §2.5.1.1: an unknown condition makes the assertion's validity unknown, so the assertion is refused. */
function readConditions(conditions: XmlElement): Conditions {
  const unknown = elementsOf(conditions).find((one) => one.namespace !== NS.saml || !KNOWN_CONDITIONS.includes(one.local));
  if (unknown) throw new SamlError("conditions", `The condition ${unknown.local} is not known`);
  return {
    notBefore: optionalInstant(conditions, "NotBefore"),
    notOnOrAfter: optionalInstant(conditions, "NotOnOrAfter"),
    audienceRestrictions: childrenNamed(conditions, NS.saml, "AudienceRestriction").map((restriction) =>
      childrenNamed(restriction, NS.saml, "Audience").map((audience) => trimmedTextOf(audience)),
    ),
    oneTimeUse: optionalChild(conditions, NS.saml, "OneTimeUse") !== null,
  };
}

function readAuthnStatement(statement: XmlElement): AuthnStatement {
  const context = onlyChild(statement, NS.saml, "AuthnContext");
  const classRef = optionalChild(context, NS.saml, "AuthnContextClassRef");
  return {
    authnInstant: requiredInstant(statement, "AuthnInstant"),
    sessionIndex: attributeOf(statement, "SessionIndex"),
    sessionNotOnOrAfter: optionalInstant(statement, "SessionNotOnOrAfter"),
    classRef: classRef && trimmedTextOf(classRef),
    authenticatingAuthorities: childrenNamed(context, NS.saml, "AuthenticatingAuthority").map((authority) => trimmedTextOf(authority)),
  };
}

/** SAML core §2.7.3. */
function attributesOf(statement: XmlElement): XmlElement[] {
  if (childrenNamed(statement, NS.saml, "EncryptedAttribute").length > 0)
    throw new SamlError("message", "EncryptedAttribute is not supported: encrypt the assertion");
  return childrenNamed(statement, NS.saml, "Attribute");
}

async function readAttribute(attribute: XmlElement, decryption: Decryption | undefined): Promise<Attribute> {
  const values = childrenNamed(attribute, NS.saml, "AttributeValue");
  return {
    name: requiredAttribute(attribute, "Name"),
    nameFormat: attributeOf(attribute, "NameFormat"),
    friendlyName: attributeOf(attribute, "FriendlyName"),
    values: await Promise.all(values.map((value) => readValue(value, decryption))),
  };
}

async function readValue(value: XmlElement, decryption: Decryption | undefined): Promise<AttributeValue> {
  const [nested, ...more] = elementsOf(value);
  if (!nested) return textOf(value);
  if (more.length > 0 || nested.namespace !== NS.saml) return null;
  if (nested.local === "NameID") return readNameId(nested);
  return nested.local === "EncryptedID" ? decryptNameId(nested, decryption, true) : null;
}
