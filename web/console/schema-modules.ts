import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { descriptionOf } from "./src/help/description.ts";

const PREFIX = "virtual:schema/";

type Json = { [key: string]: Json } | readonly Json[] | string | number | boolean | null;

/**
 * `import schema from "virtual:schema/UpdateUser"` is that component of the OpenAPI document, with references resolved. Forms are made from
 * it, so a form knows every member of a record, its limits and its description, in the console's own words.
 */
export function schemaModules(document: URL): Plugin {
  const { components } = JSON.parse(readFileSync(document, "utf8")) as { components: { schemas: Record<string, Json> } };

  const resolve = (value: Json, seen: readonly string[]): Json => {
    if (Array.isArray(value)) return value.map((item) => resolve(item, seen));
    if (value === null || typeof value !== "object") return value;
    const object = value as { [key: string]: Json };
    const reference = typeof object.$ref === "string" ? object.$ref.split("/").at(-1)! : null;
    if (reference !== null) {
      // A schema that contains itself (the steps of a flow) is edited by a page of its own.
      if (seen.includes(reference)) return {};
      return resolve(components.schemas[reference] ?? {}, [...seen, reference]);
    }
    const kept = Object.entries(object).filter(([key]) => key !== "examples" && key !== "example");
    return Object.fromEntries(
      kept.map(([key, item]) => [key, key === "description" && typeof item === "string" ? descriptionOf(item) : resolve(item, seen)]),
    );
  };

  return {
    name: "schema-modules",
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return null;
      const name = id.slice(PREFIX.length + 1);
      const schema = components.schemas[name];
      if (schema === undefined) throw new Error(`openapi.json has no schema ${name}`);
      return `export default ${JSON.stringify(resolve(schema, [name]))}`;
    },
  };
}
