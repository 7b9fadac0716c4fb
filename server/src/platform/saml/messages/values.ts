import { randomFillSync } from "node:crypto";
import { SamlError } from "../errors.ts";
import { isNcName } from "../xml/characters.ts";
import { attributeOf, requiredAttribute, type XmlElement } from "../xml/tree.ts";

const MAX_ID_LENGTH = 256;

const ID_BYTES = 20;

/** Random bytes for future IDs, because a call for a few bytes costs as much as one for thousands. */
const random = Buffer.alloc(ID_BYTES * 128);
let used = random.length;

/** Returns a new ID (SAML core §1.3.4): 160 random bits, which begin with a letter or underscore. */
export function newMessageId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += ID_BYTES;
  return `_${random.toString("hex", used - ID_BYTES, used)}`;
}

/** Formats a time in UTC (SAML core §1.3.3). */
export const instant = (time: number): string => new Date(time).toISOString();

const INSTANT = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|\+00:00)$/;

/** Reads a time as epoch milliseconds. It refuses dates that do not exist, which Date.parse would move to the next month. */
function readInstant(text: string, what: string): number {
  const found = INSTANT.exec(text);
  const time = found ? Date.parse(`${found[1]}Z`) : Number.NaN;
  if (!found || Number.isNaN(time) || !new Date(time).toISOString().startsWith(found[1]!))
    throw new SamlError("message", `${what} is not a time in UTC`);
  return time + Math.floor(Number(`0.${found[2] ?? "0"}`) * 1000);
}

export const requiredInstant = (element: XmlElement, name: string): number =>
  readInstant(requiredAttribute(element, name), `${element.local}/${name}`);

export function optionalInstant(element: XmlElement, name: string): number | null {
  const text = attributeOf(element, name);
  return text === null ? null : readInstant(text, `${element.local}/${name}`);
}

/** xs:boolean. */
export function optionalBoolean(element: XmlElement, name: string): boolean | null {
  const text = attributeOf(element, name);
  if (text === null) return null;
  if (text === "true" || text === "1") return true;
  if (text === "false" || text === "0") return false;
  throw new SamlError("message", `${element.local}/${name} is neither true nor false`);
}

/** Reads xs:unsignedShort, and xs:nonNegativeInteger up to a sensible size. */
export function optionalNumber(element: XmlElement, name: string): number | null {
  const text = attributeOf(element, name);
  if (text === null) return null;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new SamlError("message", `${element.local}/${name} is not a number below 65536`);
  return Number(text);
}

export function requiredId(element: XmlElement): string {
  const id = requiredAttribute(element, "ID");
  if (id.length > MAX_ID_LENGTH || !isNcName(id)) throw new SamlError("message", `${element.local}/ID is not an ID`);
  return id;
}
