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

/** The descriptions that do not follow from the name of a parameter. */
const described: Readonly<Record<string, string>> = {
  realm: "The realm's name",
  orgId: "The organization's id",
  claimId: "The claim mapper's id",
  entityId: "The service provider's entityID, URL-encoded",
  clientInternalId: "The client's `id`, not its OAuth client id",
};

/** The words for the items of collections whose names in a path do not say them. */
const items: Readonly<Record<string, string>> = {
  broker: "identity provider",
  "linked-accounts": "identity provider",
  "user-federation": "directory",
  "workload-identity": "workload credential",
  resource_set: "resource",
  register: "registration",
  ciba: "request",
  push: "request",
  qr: "request",
  tx: "transaction",
};

function describe(path: string, { name }: Parameter): string {
  if (described[name]) return described[name];
  const [, before = "record"] = path.match(`([^/{}]+)/\\{${name}\\}`) ?? [];
  const [key] = name.match(/(id|name|alias|type|key)$/i) ?? [];
  if (key === undefined) return `The ${inWords(name)}`;
  // A bare `id` belongs to the collection before it in the path.
  return `The ${inWords(name.slice(0, -key.length) || (items[before] ?? singular(before)))}'s ${key.toLowerCase()}`;
}

const inWords = (name: string) =>
  name
    .replaceAll("-", " ")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase()
    .replace("scim", "SCIM");
