import { cleanName } from "../../kernel/text.ts";

/** The attributes that are names of the person. */
const NAMES: readonly string[] = ["firstName", "lastName", "middleName", "nickname"];

/** Returns the attributes with clean names, whatever their source. A name without visible characters becomes undefined. */
export function withCleanNames<T extends Readonly<Record<string, unknown>>>(attributes: T): T {
  const present = NAMES.filter((name) => Object.hasOwn(attributes, name));
  return present.length === 0
    ? attributes
    : { ...attributes, ...Object.fromEntries(present.map((name) => [name, clean(attributes[name])])) };
}

const clean = (value: unknown): unknown =>
  typeof value === "string" ? cleanName(value) || undefined : Array.isArray(value) ? value.flatMap((each) => clean(each) ?? []) : value;
