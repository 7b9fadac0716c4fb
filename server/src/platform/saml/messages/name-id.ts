import { type Decryption, decrypted } from "../encryption/decrypt.ts";
import { SamlError } from "../errors.ts";
import { NS } from "../names.ts";
import { attributeOf, optionalChild, textOf, type XmlElement } from "../xml/tree.ts";
import { element, type Fragment } from "../xml/write.ts";

/** SAML core §2.2.3. */
export interface NameId {
  readonly value: string;
  readonly format: string | null;
  readonly nameQualifier: string | null;
  readonly spNameQualifier: string | null;
  readonly spProvidedId: string | null;
}

export function readNameId(nameId: XmlElement): NameId {
  const value = textOf(nameId);
  if (value === "") throw new SamlError("message", "NameID is empty");
  return {
    value,
    format: attributeOf(nameId, "Format"),
    nameQualifier: attributeOf(nameId, "NameQualifier"),
    spNameQualifier: attributeOf(nameId, "SPNameQualifier"),
    spProvidedId: attributeOf(nameId, "SPProvidedID"),
  };
}

/** Returns the NameID of `parent`, encrypted or not, or null if there is none. */
export async function nameIdIn(parent: XmlElement, decryption: Decryption | undefined, signed: boolean): Promise<NameId | null> {
  const plain = optionalChild(parent, NS.saml, "NameID");
  const encrypted = optionalChild(parent, NS.saml, "EncryptedID");
  if (plain && encrypted) throw new SamlError("message", `${parent.local} has both a NameID and an EncryptedID`);
  if (plain) return readNameId(plain);
  return encrypted ? decryptNameId(encrypted, decryption, signed) : null;
}

/** Decrypts a NameID (SAML core §2.2.4). Attributes may contain one, too. */
export async function decryptNameId(encryptedId: XmlElement, decryption: Decryption | undefined, signed: boolean): Promise<NameId> {
  if (!decryption) throw new SamlError("decryption", "No key is configured that could decrypt the NameID");
  return readNameId(await decrypted(encryptedId, "NameID", decryption, signed));
}

export const nameIdElement = ({
  value,
  format,
  nameQualifier,
  spNameQualifier,
  spProvidedId,
}: Partial<NameId> & { value: string }): Fragment =>
  element(
    "saml:NameID",
    { Format: format, NameQualifier: nameQualifier, SPNameQualifier: spNameQualifier, SPProvidedID: spProvidedId },
    value,
  );
