import { isObject } from "../../../kernel/json.ts";
import { listOf } from "../../../kernel/lists.ts";
import type { Resource, ResourceType } from "./attribute.ts";
import { extensionOf, findAttribute } from "./paths.ts";

/** The attributes of a response (RFC 7644 §3.9). */
export interface Projection {
  readonly isDefault: boolean;
  /** Tells whether an attribute of the core is shown, at least in part. */
  shows(name: string): boolean;
  of(resource: Resource): Resource;
}

const ALWAYS: ReadonlySet<string> = new Set(["id", "schemas"]);

interface Chosen {
  readonly whole: ReadonlySet<string>;
  /** The sub-attributes by the key of their attribute. */
  readonly parts: ReadonlyMap<string, ReadonlySet<string>>;
}

const keyOf = (extension: string | null, name: string) => (extension === null ? name : `${extension}:${name}`);

export function projectionOf(type: ResourceType, query: { attributes?: unknown; excludedAttributes?: unknown }): Projection {
  const attributes = chosen(type, query.attributes);
  const excluded = chosen(type, query.excludedAttributes);
  const hidden = hiddenParts(type);
  const unasked = (key: string, value: unknown): unknown => {
    const names = hidden.get(key);
    const asked = attributes?.parts.get(key);
    return names ? parts(value, (sub) => !names.has(sub) || asked?.has(sub) === true) : value;
  };
  if (!attributes && !excluded) {
    const whole = (resource: Resource) => Object.fromEntries(Object.entries(resource).map(([name, value]) => [name, unasked(name, value)]));
    return { isDefault: true, shows: () => true, of: hidden.size === 0 ? (resource) => resource : whole };
  }
  const shows = (key: string): boolean =>
    ALWAYS.has(key) || (attributes ? attributes.whole.has(key) || attributes.parts.has(key) : !excluded!.whole.has(key));
  const extensionShown = (extension: string) => (attributes ? attributes.whole.has(extension) : !excluded!.whole.has(extension));
  const member = (key: string, value: unknown): unknown => {
    if (attributes)
      return attributes.whole.has(key) || ALWAYS.has(key)
        ? unasked(key, value)
        : parts(value, (sub) => attributes.parts.get(key)!.has(sub));
    const left = excluded!.parts.get(key);
    const shown = unasked(key, value);
    return left && !ALWAYS.has(key) ? parts(shown, (sub) => !left.has(sub)) : shown;
  };
  return {
    isDefault: false,
    shows,
    of(resource) {
      const shown: Resource = {};
      for (const [name, value] of Object.entries(resource)) {
        const isExtension = extensionOf(type, name) !== undefined;
        if (!isExtension) {
          if (shows(name)) shown[name] = member(name, value);
          continue;
        }
        if (!isObject(value)) continue;
        const isWhole = extensionShown(name) && attributes !== null;
        const visible = Object.entries(value).filter(
          ([each]) => isWhole || (extensionShown(name) || attributes ? shows(keyOf(name, each)) : false),
        );
        if (visible.length > 0)
          shown[name] = Object.fromEntries(visible.map(([each, one]) => [each, isWhole ? one : member(keyOf(name, each), one)]));
      }
      return shown;
    },
  };
}

/** RFC 7643 §2.2: returns sub-attributes of the core that are shown only if the request names them. */
const hiddenParts = ({ schema }: ResourceType): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    schema.attributes.flatMap(({ name, subAttributes = [] }) => {
      const hidden = subAttributes.filter(({ returned }) => returned === "request").map((sub) => sub.name);
      return hidden.length > 0 ? [[name, new Set(hidden)] as const] : [];
    }),
  );

/** Returns the chosen attributes, or null if the parameter names none. Unknown names are ignored. */
function chosen(type: ResourceType, parameter: unknown): Chosen | null {
  const names = listOf(parameter ?? [])
    .flatMap((each) => String(each).split(","))
    .map((each) => each.trim())
    .filter((each) => each !== "");
  if (names.length === 0) return null;
  const whole = new Set<string>();
  const parts = new Map<string, Set<string>>();
  for (const name of names) {
    const extension = extensionOf(type, name);
    if (extension !== undefined) whole.add(extension);
    const found = findAttribute(type, name);
    if (!found) continue;
    const key = keyOf(found.extension, found.attribute.name);
    if (!found.sub) whole.add(key);
    else parts.set(key, (parts.get(key) ?? new Set()).add(found.sub.name));
  }
  return { whole, parts };
}

function parts(value: unknown, isShown: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => parts(each, isShown));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => isShown(name)));
}
