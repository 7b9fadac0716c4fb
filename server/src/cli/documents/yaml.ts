import { type Node, parseDocument, visit } from "yaml";
import { isTooDeep } from "../../kernel/json.ts";

/** The deepest indentation. No document needs more, and deeper ones exhaust the stack of a parser. */
const MAX_INDENT = 200;

/**
 * Parses YAML 1.2, which includes JSON: maps, lists, texts, numbers, true, false and null. Anchors, aliases and tags are refused: a reader of the file would
 * not see what they stand for, and nested aliases grow without limit.
 */
export function parseYaml(text: string, file: string): unknown {
  const refuse = (message: string, at?: number): never => {
    const line = at === undefined ? "" : `:${text.slice(0, at).split("\n").length}`;
    throw new Error(`${file}${line}: ${message}`);
  };
  if (isTooDeep(text) || new RegExp(`^( {${MAX_INDENT}}|(\\s*- ){${MAX_INDENT}})`, "m").test(text)) refuse("It is nested too deeply.");
  try {
    return read(text, refuse);
  } catch (error) {
    if (error instanceof RangeError) refuse("It is nested too deeply.");
    throw error;
  }
}

function read(text: string, refuse: (message: string, at?: number) => never): unknown {
  const document = parseDocument(text, { version: "1.2", schema: "core", uniqueKeys: true, merge: false, prettyErrors: false });
  visit(document, {
    Alias: (_key, node) => refuse(`*${node.source} is an alias. Write out what it stands for.`, node.range?.[0]),
    Node: (_key, node) => {
      const { anchor, tag, range } = node as Node & { anchor?: string };
      if (anchor) refuse(`&${anchor} is an anchor. Write out what it stands for.`, range?.[0]);
      if (tag) refuse(`${tag} is a tag. Leave it out: texts, numbers, lists and maps need none.`, range?.[0]);
    },
  });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) refuse(fault.code === "DUPLICATE_KEY" ? "This member is here twice." : `${fault.message}.`, fault.pos[0]);
  const value: unknown = document.toJS({ maxAliasCount: 0 });
  if (holdsNoNumber(value)) refuse("NaN and infinity are not allowed.");
  return value;
}

const holdsNoNumber = (value: unknown): boolean =>
  typeof value === "number"
    ? !Number.isFinite(value)
    : typeof value === "object" && value !== null && Object.values(value).some(holdsNoNumber);
