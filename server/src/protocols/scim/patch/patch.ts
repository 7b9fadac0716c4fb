import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../../kernel/json.ts";
import { weightOf } from "../../../kernel/weight.ts";
import { invalidValue, scimError } from "../errors.ts";
import { matches, termsOf } from "../filter/evaluate.ts";
import type { Filter } from "../filter/parser.ts";
import type { Resource, ResourceType } from "../schema/attribute.ts";
import { MAX_ELEMENTS, normalise, single } from "../schema/values.ts";
import type { Operation } from "./operations.ts";
import { type AttributeTarget, findTarget, parsePath, type Target } from "./path.ts";

/** The characters that one request may have compared, hundreds of times more than clients do. Operations, elements and terms multiply. */
const MOST_COMPARED = 2_000_000;
/** The cost of a look at one element. */
const LOOK = 16;

/** A resource while operations are applied to it. */
interface Draft {
  readonly type: ResourceType;
  readonly resource: Resource;
  compared: number;
}

const draftOf = (type: ResourceType, resource: Resource): Draft => ({ type, resource, compared: 0 });

function spend(draft: Draft, characters: number): void {
  draft.compared += characters;
  if (draft.compared > MOST_COMPARED) throw scimError("tooMany", "The operations compare too much: send fewer in one request");
}

/** RFC 7644 §3.5.2: returns a copy of the resource with all operations applied, or throws and applies none. */
export function applyOperations(type: ResourceType, resource: Resource, operations: readonly Operation[]): Resource {
  const draft = draftOf(type, structuredClone(resource));
  for (const { op, path, value } of operations) {
    if (path !== undefined) apply(draft, op, parsePath(type, path), value);
    else assign(draft, op, value);
  }
  return draft.resource;
}

/** Tells whether the operations name an attribute of the resource's own schema, whatever they do to it. */
export function isNamedBy(type: ResourceType, operations: readonly Operation[], name: string): boolean {
  const isIt = (path: string) => {
    const target = findTarget(type, path.trim());
    return target?.is === "attribute" && target.extension === null && target.attribute.name === name;
  };
  return operations.some(({ path, value }) => (path !== undefined ? [path] : isObject(value) ? Object.keys(value) : []).some(isIt));
}

/** Reads a resource that was sent whole (POST, PUT), with the members that the schemas have. */
export function readResource(type: ResourceType, body: unknown): Resource {
  const resource: Resource = {};
  const assigned = isObject(body) ? Object.fromEntries(Object.entries(body).filter(([, member]) => !isUnassigned(member))) : body;
  assign(draftOf(type, resource), "replace", assigned);
  return resource;
}

/** RFC 7643 §2.5: null and an empty list stand for an attribute without a value. */
const isUnassigned = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** Members without a path: the names may be paths themselves. A read-only or unknown member is ignored, as in a resource that is sent whole. */
function assign(draft: Draft, op: Operation["op"], value: unknown): void {
  const { type, resource } = draft;
  if (op === "remove") throw scimError("noTarget", "remove needs a path");
  if (!isObject(value)) throw scimError("invalidSyntax", "Without a path, the value is an object of attributes");
  for (const [name, member] of Object.entries(value)) {
    const target = findTarget(type, name);
    if (!target) continue;
    if (target.is === "attribute" && isReadOnly(target)) {
      refuseOtherId(target, resource, member);
      continue;
    }
    if (target.is === "attribute" && isUnassigned(member)) {
      if (op === "replace") unassign(resource, target);
    } else apply(draft, op, target, member);
  }
}

const isReadOnly = ({ attribute, sub }: AttributeTarget): boolean => attribute.mutability === "readOnly" || sub?.mutability === "readOnly";

function refuseOtherId({ attribute }: AttributeTarget, resource: Resource, value: unknown): void {
  if (attribute.name === "id" && resource.id !== undefined && value !== resource.id)
    throw scimError("mutability", "id is assigned by the server and cannot be changed");
}

function apply(draft: Draft, op: Operation["op"], target: Target, value: unknown): void {
  const { resource } = draft;
  if (target.is === "extension") return void applyToExtension(draft, op, target.extension, value);
  if (isReadOnly(target)) {
    if (target.attribute.name === "id") return void refuseOtherId(target, resource, value);
    throw scimError("mutability", `${target.path} is read-only`);
  }
  if (target.attribute.multiValued) spend(draft, LOOK * elementsOf(resource, target).length);
  if (op === "remove") return void remove(draft, target, value);
  if (target.attribute.multiValued) return void setElements(draft, op, target, value);
  const { attribute, sub, path } = target;
  if (sub) {
    const normal = normalise(sub, value, path);
    return void store(resource, target, merged(current(resource, target), { [sub.name]: normal }));
  }
  const normal = normalise(attribute, value, path);
  if (normal === undefined) return void unassign(resource, target);
  // RFC 7644 §3.5.2.3: sub-attributes that are not named remain.
  store(resource, target, attribute.type === "complex" ? merged(current(resource, target), normal as Resource) : normal);
}

function applyToExtension(draft: Draft, op: Operation["op"], extension: string, value: unknown): void {
  const { type, resource } = draft;
  if (op === "remove" || isUnassigned(value)) {
    if (op !== "add") delete resource[extension];
    return;
  }
  if (!isObject(value)) throw invalidValue(extension, "must be an object of attributes");
  for (const [name, member] of Object.entries(value)) {
    const target = findTarget(type, `${extension}:${name}`);
    if (target?.is !== "attribute" || isReadOnly(target)) continue;
    if (isUnassigned(member)) unassign(resource, target);
    else apply(draft, op, target, member);
  }
}

const current = (resource: Resource, { extension, attribute }: AttributeTarget): unknown => {
  const from = extension === null ? resource : resource[extension];
  return isObject(from) ? from[attribute.name] : undefined;
};

/** Stores a value. Undefined, an empty object and an empty list unassign the attribute. */
function store(resource: Resource, target: AttributeTarget, value: unknown): void {
  const { extension, attribute } = target;
  const isEmpty =
    value === undefined || (Array.isArray(value) && value.length === 0) || (isObject(value) && Object.keys(value).length === 0);
  if (extension !== null && resource[extension] === undefined) resource[extension] = {};
  const into = extension === null ? resource : (resource[extension] as Resource);
  if (isEmpty) delete into[attribute.name];
  else into[attribute.name] = value;
  if (extension !== null && Object.keys(into).length === 0) delete resource[extension];
}

function unassign(resource: Resource, target: AttributeTarget): void {
  const { attribute, sub } = target;
  if (attribute.required && !sub) throw scimError("mutability", `${attribute.name} is required and cannot be removed`);
  if (!sub) store(resource, target, undefined);
  else if (attribute.multiValued)
    store(
      resource,
      target,
      elementsOf(resource, target).flatMap((each) => without(each, sub.name)),
    );
  else store(resource, target, merged(current(resource, target), { [sub.name]: undefined }));
}

function merged(present: unknown, change: Resource): Resource {
  const next = { ...(isObject(present) ? present : {}), ...change };
  return Object.fromEntries(Object.entries(next).filter(([, member]) => member !== undefined));
}

const without = (element: Resource, name: string): Resource[] => {
  const rest = merged(element, { [name]: undefined });
  return Object.keys(rest).length === 0 ? [] : [rest];
};

const elementsOf = (resource: Resource, target: AttributeTarget): Resource[] => ((current(resource, target) ?? []) as Resource[]).slice();

function remove(draft: Draft, target: AttributeTarget, value: unknown): void {
  const { resource } = draft;
  const { attribute, filter, sub } = target;
  // Null distinguishes a removed password from one that is not mentioned. Clients send null for a value that they do not know.
  if (attribute.returned === "never") {
    resource[attribute.name] = null;
    return;
  }
  if (!attribute.multiValued) return void unassign(resource, target);
  const elements = elementsOf(resource, target);
  if (filter) {
    spendOnFilter(draft, filter, elements);
    const rest = elements.flatMap((each) => (matches(filter, each) ? (sub ? without(each, sub.name) : []) : [each]));
    return void store(resource, target, rest);
  }
  if (sub) return void unassign(resource, target);
  // Microsoft Entra and others name the removed elements by value.
  const named = value === undefined ? undefined : (normalise(attribute, value, target.path) as Resource[] | undefined);
  if (named === undefined) return void unassign(resource, target);
  spend(draft, LOOK * named.length * elements.length);
  store(
    resource,
    target,
    elements.filter((each) => !named.some((one) => contains(each, one))),
  );
}

/** Tells whether an element has every member that `wanted` names. */
const contains = (element: Resource, wanted: Resource): boolean =>
  Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(element[name], value));

const spendOnFilter = (draft: Draft, filter: Filter, elements: readonly Resource[]): void =>
  spend(draft, weightOf(elements) + LOOK * termsOf(filter) * elements.length);

/** RFC 7644 §3.5.2.1 and §3.5.2.3: changes the elements of a multi-valued attribute. */
function setElements(draft: Draft, op: Operation["op"], target: AttributeTarget, value: unknown): void {
  const { resource } = draft;
  const { attribute, filter, sub, path } = target;
  const elements = elementsOf(resource, target);
  if (filter || sub) {
    if (filter) spendOnFilter(draft, filter, elements);
    const chosen = elements.filter((each) => !filter || matches(filter, each));
    // Provisioning clients expect the element to be created, even by replace, for which the RFC defines noTarget.
    const targets = chosen.length > 0 ? chosen : [named(filter)];
    const change = sub ? { [sub.name]: normalise(sub, value, path) } : ((single(attribute, value, path) ?? {}) as Resource);
    const changed = targets.map((each) => merged(each, change));
    const changes = new Map(targets.map((each, at) => [each, changed[at]!]));
    const next = elements.map((each) => changes.get(each) ?? each);
    return void storeElements(resource, target, chosen.length > 0 ? next : [...next, ...changed], changed);
  }
  const given = (normalise(attribute, value, path) ?? []) as Resource[];
  if (op === "replace") return void storeElements(resource, target, given, given.filter(isPrimary).slice(-1));
  spend(draft, LOOK * given.length * (elements.length + given.length));
  const next = elements.slice();
  const added: Resource[] = [];
  for (const each of given) {
    const at = next.findIndex((one) => isSame(one, each));
    const element = at === -1 ? each : merged(next[at], each);
    if (at === -1) next.push(element);
    else next[at] = element;
    added.push(element);
  }
  storeElements(resource, target, next, added);
}

const isPrimary = ({ primary }: Resource): boolean => primary === true;
const lower = (value: unknown) => (typeof value === "string" ? value.toLowerCase() : value);
/** Tells whether two elements are the same: they have equal values and types. */
const isSame = (one: Resource, other: Resource): boolean =>
  one.value === undefined && other.value === undefined
    ? isDeepStrictEqual(one, other)
    : one.value === other.value && lower(one.type) === lower(other.type);

/** RFC 7643 §2.4: stores elements, of which at most one is `primary`, the one that was set last. */
function storeElements(resource: Resource, target: AttributeTarget, elements: readonly Resource[], set: readonly Resource[]): void {
  const preferred = set.filter(isPrimary).at(-1);
  const settled = preferred
    ? elements.map((each) => (isPrimary(each) && each !== preferred ? merged(each, { primary: false }) : each))
    : elements;
  const filled = settled.filter((each) => Object.keys(each).length > 0);
  if (filled.length > MAX_ELEMENTS && target.attribute.name !== "members")
    throw invalidValue(target.path, `has more than ${MAX_ELEMENTS} values`);
  store(resource, target, filled);
}

/** Makes a new element from the values that a filter compares by `eq`. */
function named(filter: Filter | null): Resource {
  if (!filter) return {};
  if (filter.is === "compare" && filter.by === "eq" && filter.value !== null) return { [filter.path.attribute.name]: filter.value };
  if (filter.is === "and") return Object.assign({}, ...filter.parts.map(named));
  throw scimError("noTarget", "No value fits the filter in the path");
}
