import { isCleanText } from "../../kernel/text.ts";
import type { MapperState } from "./mappers.schema.ts";

/** The claims of a provider or a directory about a user, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** Returns a claim by its name, or by its path, such as `realm_access.roles`. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

const MAX_VALUES = 100;
const MAX_LENGTH = 2048;

/** Returns the value of an attribute: one text, or several. */
export function attributeOf(value: unknown): string | string[] | undefined {
  if (Array.isArray(value)) {
    const texts = value.map(attributeOf).filter((each) => typeof each === "string");
    return texts.length === 0 ? undefined : texts.slice(0, MAX_VALUES);
  }
  const text = typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
  return text === undefined || text === "" || text.length > MAX_LENGTH || !isCleanText(text) ? undefined : text;
}

const PLACES = /\{([^{}|]{1,255})(\|local)?\}/g;

/** Returns the claims that a template names. */
export const claimsOfTemplate = (template: string): string[] => [...template.matchAll(PLACES)].map(([, path]) => path!);

/** Replaces `{claim}` by the claim, and `{email|local}` by the part before the @. Missing claims become empty. */
export const fillTemplate = (template: string, claims: Claims): string =>
  template.replace(PLACES, (_, path: string, local?: string) => {
    const value = attributeOf(claimAt(claims, path));
    const text = Array.isArray(value) ? (value[0] ?? "") : (value ?? "");
    return local ? text.replace(/@[^@]*$/, "") : text;
  });

/** Tells whether a mapper applies to the provider's claims. */
export const says = ({ claim, value }: MapperState, claims: Claims): boolean => {
  if (claim === undefined) return true;
  const found = claimAt(claims, claim);
  if (value === undefined) return found !== undefined && found !== null && found !== false;
  return (Array.isArray(found) ? found : [found]).some((each) => attributeOf(each) === value);
};

/** Tells whether a mapper counts now: `import` mappers count the first time only. */
export const countsNow =
  (isFirst: boolean) =>
  ({ sync }: Pick<MapperState, "sync">): boolean =>
    isFirst || sync === "force";

/** Returns the attributes that mappers make of the claims; undefined removes an attribute. */
export function mappedAttributes(mappers: readonly MapperState[], claims: Claims, isFirst: boolean) {
  const attributes: Record<string, string | string[] | undefined> = {};
  for (const mapper of mappers.filter(countsNow(isFirst))) {
    if (mapper.type === "attribute") attributes[mapper.attribute!] = attributeOf(claimAt(claims, mapper.claim!));
    if (mapper.type === "template") attributes[mapper.attribute!] = attributeOf(fillTemplate(mapper.template!, claims));
  }
  return attributes;
}
