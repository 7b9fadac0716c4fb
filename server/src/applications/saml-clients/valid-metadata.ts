import { buildValidator } from "../../platform/http/index.ts";
import { CreateSamlClient } from "./schema.ts";

const { $id: _name, ...creation } = CreateSamlClient as typeof CreateSamlClient & { $id: string };

interface Validate {
  (data: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

/** Validates metadata by the schema of a request. */
export const validateCreation = buildValidator({})({ schema: creation, httpPart: "body" } as never) as Validate;

/** Returns the faults in a sentence, or null if there are none. */
export function faultsOfCreation(given: CreateSamlClient): string | null {
  if (validateCreation(given)) return null;
  const [fault] = validateCreation.errors ?? [];
  return `The metadata is not acceptable: ${fault?.instancePath.slice(1).replaceAll("/", ".") ?? ""} ${fault?.message ?? ""}`.trim();
}
