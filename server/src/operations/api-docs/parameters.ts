import { isReference, type Operation, type Parameter } from "./openapi.ts";
import { singular } from "./operation-id.ts";

/** Describes every path parameter that its route does not describe. */
export function describePathParameters(path: string, { parameters = [] }: Operation): void {
  for (const parameter of parameters) {
    if (isReference(parameter) || parameter.in !== "path") continue;
    parameter.description ??= describe(path, parameter);
    if (parameter.name === "realm") parameter.example ??= "master";
  }
}

function describe(path: string, { name }: Parameter): string {
  if (name === "realm") return "The realm's name";
  const [, before = "record"] = path.match(`([^/{}]+)/\\{${name}\\}`) ?? [];
  const [, key = "name"] = name.match(/(id|name|alias|type|key)$/i) ?? [];
  // A bare `id` belongs to the collection before it in the path.
  const owner = name.slice(0, -key.length).toLowerCase() || singular(before).replaceAll("-", " ");
  return `The ${owner}'s ${key.toLowerCase()}`;
}
