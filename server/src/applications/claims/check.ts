import { type FieldError, invalidFields } from "../../kernel/errors.ts";
import { didYouMean } from "../../kernel/suggest.ts";
import { claimPath, isFree } from "./path.ts";
import type { MapperState } from "./schema.ts";
import { sources } from "./sources/index.ts";

/** The rules for a mapper beyond its schema. */
export function checkMapper(mapper: MapperState): void {
  const errors = [...claimErrors(mapper.claim), ...valueErrors(mapper)];
  if (errors.length > 0) throw invalidFields(errors);
}

/** Checks a value that is not written as a claim. */
export function checkSource(mapper: MapperState): void {
  const errors = valueErrors(mapper);
  if (errors.length > 0) throw invalidFields(errors);
}

function claimErrors(claim: string): FieldError[] {
  const path = claimPath(claim);
  if (!path) {
    const message = "claim must be up to 8 names with a dot between them, none of them empty, __proto__, constructor or prototype";
    return [{ field: "claim", code: "format", message }];
  }
  if (isFree(path)) return [];
  return [{ field: "claim", code: "reserved", message: `claim: ${path[0]} is said by the protocol itself; choose another name` }];
}

function valueErrors({ source, value, type }: MapperState): FieldError[] {
  const { choices = [], refusal } = sources[source];
  const isChoice = value === null || choices.includes(value);
  const unknown = () => (isChoice ? null : `${source} knows ${choices.join(", ")}.${didYouMean(value, choices)}`);
  const message = refusal ? refusal(value, type) : unknown();
  return message === null ? [] : [{ field: "value", code: "enum", message: `value: ${message}` }];
}
