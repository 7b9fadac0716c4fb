import type { Method } from "./openapi.ts";

/** The prefix of every path of a surface; it says nothing about the operation. */
const SURFACES = /^\/(admin\/realms\/\{realm\}(?=\/)|admin|realms\/\{realm\}(?=\/))/;
const verbs: Record<Exclude<Method, "get" | "post">, string> = { put: "update", patch: "patch", delete: "delete" };

/**
 * Makes a stable, readable name from method and path: `listUsers`, `createUser`, `getUser`, `updateUserPassword`, `rotateKeys`.
 * A route whose name comes out wrong declares its own `operationId`.
 */
export function operationIdOf(method: Method, path: string, answersList: boolean): string {
  const segments = path.replace(SURFACES, "").split("/").filter(Boolean);
  // A parameter selects one item of the collection before it.
  const words = segments.flatMap((segment, i) => {
    if (segment.startsWith("{")) return [];
    return [segments[i + 1]?.startsWith("{") ? singular(segment) : segment];
  });
  const last = segments.at(-1) ?? "";
  if (method === "get") return camel(answersList ? "list" : "get", ...words);
  if (method !== "post") return camel(verbs[method], ...words);
  if (last.endsWith("s") && !last.startsWith("{")) return camel("create", ...words.slice(0, -1), singular(last));
  // A POST to a word that is no collection is an action: `/keys/rotate`.
  return camel(words.at(-1) ?? "post", ...words.slice(0, -1));
}

export const singular = (word: string): string => (/ies$/.test(word) ? word.replace(/ies$/, "y") : word.replace(/(?<![su])s$/, ""));

function camel(...words: string[]): string {
  const parts = words.flatMap((word) => word.split(/[^A-Za-z0-9]+/)).filter(Boolean);
  return parts.map((part, i) => (i === 0 ? part[0]!.toLowerCase() : part[0]!.toUpperCase()) + part.slice(1)).join("");
}
