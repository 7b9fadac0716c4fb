import type { ApiProblem } from "@gatehouse/api";
import { served, type Translate } from "../i18n/index.ts";
import { labelOf } from "./schema.ts";

/** Returns what is wrong with a member, or with one inside of it. The API names a member by its path; at its field, people read its label. */
export function errorAt(problem: ApiProblem | null | undefined, path: string, t: Translate): string | undefined {
  const found = problem?.problem.errors?.find(({ field }) => field === path || field.startsWith(`${path}.`));
  if (!found) return undefined;
  const { field } = found;
  const message = served(found.message);
  const rest = message.slice(field.length);
  return message.startsWith(field) && /^[ :]/.test(rest) ? `${labelAt(field, t)}${rest}` : message;
}

function labelAt(path: string, t: Translate): string {
  const [, name = path, place] = /([^.]+?)(?:[.](\d+))?$/.exec(path) ?? [];
  return place === undefined ? t(labelOf(name)) : `${t(labelOf(name))} ${Number(place) + 1}`;
}
