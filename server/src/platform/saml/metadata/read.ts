import { DAY, SECOND } from "../../../kernel/clock.ts";
import { SamlError } from "../errors.ts";
import { optionalInstant } from "../messages/values.ts";
import { NS } from "../names.ts";
import type { VerificationKey } from "../signature/keys.ts";
import { isSigned, verifyEnveloped } from "../signature/verify.ts";
import { METADATA_LIMITS, parseXml } from "../xml/parse.ts";
import { attributeOf, elementsOf, isNamed, requiredAttribute, type XmlElement } from "../xml/tree.ts";
import { readIdpRole, readSpRole, roleOf } from "./roles.ts";
import type { EntityMetadata } from "./types.ts";

export const METADATA_BYTES = METADATA_LIMITS.bytes;

export interface MetadataOptions {
  readonly now: number;
  /** The entity to read. It may be left out if there is only one. */
  readonly entityId?: string;
  /** The role that an entity must have to be considered. */
  readonly role?: "sp" | "idp";
  /** Pinned certificates: metadata that none of them has signed is refused. Without any, no signature is verified. */
  readonly keys: readonly VerificationKey[];
}

/** An entity with the elements that contain it, from the inside out. */
type Path = readonly XmlElement[];

type Choice = { readonly [K in "entityId" | "role"]: MetadataOptions[K] | undefined };
const ROLES = { sp: "SPSSODescriptor", idp: "IDPSSODescriptor" } as const;

/** Thrown if the file describes several entities and none was chosen. */
export class MetadataChoice extends SamlError {
  readonly entityIds: readonly string[];

  constructor(entityIds: readonly string[]) {
    super("metadata_choice", "The metadata describes several entities: choose one");
    this.entityIds = entityIds;
  }
}

/** SAML metadata §2.3. */
export function readMetadata(bytes: Uint8Array, { now, entityId, role, keys }: MetadataOptions): EntityMetadata {
  const document = parseXml(bytes, METADATA_LIMITS);
  const path = keys.length > 0 ? signedPath(document, { entityId, role }, keys) : chosen(entitiesIn(document), { entityId, role });
  const [entity] = path as [XmlElement];
  const sp = roleOf(entity, "SPSSODescriptor");
  const idp = roleOf(entity, "IDPSSODescriptor");
  if (!sp && !idp) throw new SamlError("metadata", "The entity is neither a service provider nor an identity provider of SAML 2.0");
  const validUntil = earliestEnd([...path, ...[sp, idp].filter((role) => role !== null)]);
  assertNotOver({ validUntil }, now);
  return {
    entityId: entityIdOf(entity),
    validUntil,
    cacheDuration: shortestCacheDuration(path),
    sp: sp && readSpRole(sp),
    idp: idp && readIdpRole(idp),
  };
}

/** Returns the path of the entity, verified by a signature on the whole file or on the entity itself (SAML metadata §3). Only signed parts are read. */
function signedPath(document: XmlElement, choice: Choice, keys: readonly VerificationKey[]): Path {
  if (isSigned(document)) return chosen(entitiesIn(verifyEnveloped(document, keys, METADATA_LIMITS)), choice);
  const path = chosen(entitiesIn(document), choice);
  const [entity] = path as [XmlElement];
  if (!isSigned(entity)) throw new SamlError("signature_missing", "The metadata is not signed, and a certificate is pinned for it");
  return [verifyEnveloped(entity, keys, METADATA_LIMITS)];
}

function entitiesIn(root: XmlElement, outer: Path = []): Path[] {
  if (isNamed(root, NS.md, "EntityDescriptor")) return [[root, ...outer]];
  if (!isNamed(root, NS.md, "EntitiesDescriptor")) {
    if (outer.length === 0) throw new SamlError("metadata", "This is no SAML metadata: an EntityDescriptor or EntitiesDescriptor is");
    return [];
  }
  return elementsOf(root).flatMap((child) => entitiesIn(child, [root, ...outer]));
}

function chosen(paths: readonly Path[], { entityId, role }: Choice): Path {
  const isFit = (entity: XmlElement) => role === undefined || roleOf(entity, ROLES[role]) !== null;
  // The role of a single entity is not checked here, so that the error names its actual role instead of saying that there is no entity.
  const fit = paths.length === 1 ? paths : paths.filter(([entity]) => isFit(entity!));
  const found = entityId === undefined ? fit : fit.filter(([entity]) => entityIdOf(entity!) === entityId);
  if (entityId === undefined && found.length > 1) throw new MetadataChoice(found.map(([entity]) => entityIdOf(entity!)));
  const [one, ...more] = found;
  if (!one)
    throw new SamlError(
      "metadata",
      entityId === undefined ? "The metadata describes no entity" : `The metadata does not describe ${entityId}`,
    );
  if (more.length > 0) throw new SamlError("metadata", `The metadata describes ${entityId} more than once`);
  return one;
}

/** SAML metadata §2.3.2: at most 1024 characters. */
function entityIdOf(entity: XmlElement): string {
  const entityId = requiredAttribute(entity, "entityID", "metadata").trim();
  if (entityId === "" || entityId.length > 1024) throw new SamlError("metadata", "The entityID is empty or longer than 1024 characters");
  return entityId;
}

function earliestEnd(elements: Path): number | null {
  const ends = elements.map((element) => optionalInstant(element, "validUntil")).filter((end) => end !== null);
  return ends.length > 0 ? Math.min(...ends) : null;
}

/** Checks the end of the validity. Metadata that is kept is checked again at each use. */
export function assertNotOver({ validUntil }: Pick<EntityMetadata, "validUntil">, now: number): void {
  if (validUntil !== null && validUntil <= now)
    throw new SamlError("metadata_expired", `The metadata was valid until ${new Date(validUntil).toISOString()}: get a new copy`);
}

function shortestCacheDuration(elements: Path): number | null {
  const durations = elements.map((element) => attributeOf(element, "cacheDuration")).filter((duration) => duration !== null);
  return durations.length > 0 ? Math.min(...durations.map(milliseconds)) : null;
}

const DURATION = /^P(?=[\dT])(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)?$/;
/** This is longer than metadata is ever kept. Some providers write "forever" as a number of many digits. */
const LONGEST = 100 * 365 * DAY;

/** Reads xs:duration. A month counts as 30 days. */
function milliseconds(text: string): number {
  const found = DURATION.exec(text.trim());
  if (!found) throw new SamlError("metadata", "cacheDuration is not a duration");
  const [years, months, days, hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Math.min(((((years * 365 + months * 30 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * SECOND, LONGEST);
}
