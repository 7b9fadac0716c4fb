// Fails when a text of the console, or of the server that the console shows, has no translation. English texts are their own keys, so they are read from
// the sources.
//   node check-texts.mjs --list   prints what is missing
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { servedTexts } from "./served-texts.mjs";

const src = fileURLToPath(new URL("./src/", import.meta.url));
/** Sources without texts of the console: applications copy them, or they are stored. */
const DATA = ["areas/snippets.texts.ts", "areas/snippets.web.ts", "areas/snippets.api.ts", "areas/try-it.flow.ts"];
const all = readdirSync(src, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/"));
const files = all.filter((name) => /[.]tsx?$/.test(name) && !name.startsWith("i18n/") && !DATA.includes(name));

/** Schemas that are imported for the values of a member. */
const NO_FORM = ["AuditEvent"];

/** The calls of the translation, and the members of areas and forms that are translated where they are shown. */
const CALL = /\b(?:t|translate)\(\s*"((?:[^"\\]|\\.)+)"/g;
const CHOICE = /\bt\([^"()]*\?\s*"((?:[^"\\]|\\.)+)"\s*:\s*"((?:[^"\\]|\\.)+)"/g;
const MEMBER = /\b(?:title|description|label|search|empty|emptyText|removeTitle|action|text|add)(?::|=)\s*\{?"((?:[^"\\]|\\.)+)"/g;
const LIST = /\{\[((?:"[^"]+",?\s*)+)\]\.map\(\(title\)/g;
const POSITIONAL =
  /\b(?:bulk|shown|step)\("([^"]+)"|\b(?:time|numbers|choice)\("\w+", "([^"]+)"(?:, "([^"]+)")?|\b(?:text|choice)\("\w+", "([^"]+)"/g;
/** The texts that are chosen at run time, where no pattern finds them. */
const CHOSEN = [
  ...["REQUIRED", "ALTERNATIVE", "CONDITIONAL", "DISABLED", "Next page", "Previous page", "Remove", "Nothing here yet"],
  ...["Issuer", "Discovery", "SAML metadata", "Account", "Sign-in page", "Copy it now: it is not shown again.", "That did not work"],
  "The server cannot be reached. Check your connection and try again.",
  ...["Nothing was sent yet", "Nothing is in this state", "Token endpoint", "Scope, if the service needs one"],
  ...["Inherited", "By default", "Roles of the realm", "Roles of applications", "Friendly name", "Name format"],
  ...["Of these, the user must have", "Of these, the token must have", "Of these, with the groups below"],
];
const SINGULAR = /\bsingular: "([^"]+)"/g;

/** @param {string} text */
function textsOf(text) {
  const found = [...text.matchAll(CALL), ...text.matchAll(MEMBER)].map(([, key]) => key);
  const choices = [...text.matchAll(CHOICE)].flatMap(([, one, other]) => [one, other]);
  const lists = [...text.matchAll(LIST)].flatMap(([, items]) => [...(items ?? "").matchAll(/"([^"]+)"/g)].map(([, item]) => item));
  const singulars = [...text.matchAll(SINGULAR)].flatMap(([, name]) => [name, `Create ${name}`, `Delete ${name}`]);
  const positional = [...text.matchAll(POSITIONAL)].flatMap(([, ...keys]) => keys.filter((key) => key !== undefined));
  return [...found, ...choices, ...lists, ...singulars, ...positional].map((key) => JSON.parse(`"${key}"`));
}

/** Returns a module of the console as an address, with the modules beside it that it imports. @param {string} name @returns {string} */
function addressOf(name) {
  const compiled = ts.transpileModule(readFileSync(join(src, name), "utf8"), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  }).outputText;
  const whole = compiled.replace(/ from "[.]\/([^"]+)"/g, (_, other) => ` from "${addressOf(join(dirname(name), other))}"`);
  return `data:text/javascript;base64,${Buffer.from(whole).toString("base64")}`;
}

/** Loads a module of the console. @param {string} name */
const moduleOf = (name) => import(addressOf(name));

const document = JSON.parse(readFileSync(join(src, "../../../server/openapi.json"), "utf8"));

/** Returns the names of the members that forms show, and the descriptions. @param {readonly string[]} sources */
async function membersOf(sources) {
  const { labelOf } = await moduleOf("kit/schema.ts");
  const { schemas } = document.components;
  /** @type {Set<string>} */
  const labels = new Set();
  /** @type {Set<string>} */
  const helps = new Set();
  const described = (/** @type {any} */ schema) => schema.description ?? schemas[schema.$ref?.split("/").pop()]?.description;
  const walk = (/** @type {any} */ schema, /** @type {readonly string[]} */ hidden, depth = 0) => {
    if (!schema || depth > 6) return;
    if (schema.$ref) walk(schemas[schema.$ref.split("/").pop()], hidden, depth + 1);
    for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) walk(one, hidden, depth + 1);
    for (const { then } of schema.allOf ?? []) walk(then, hidden, depth + 1);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
      // Such a member says whether a secret is stored, and has no field.
      if (name.endsWith("Set") && name.slice(0, -3) in schema.properties) continue;
      labels.add(labelOf(name));
      if (depth <= 1 && hidden.includes(name)) continue;
      const only = (inner.anyOf ?? []).filter((/** @type {any} */ one) => one.type !== "null");
      const text = described(inner) ?? (only.length === 1 ? described(only[0]) : undefined);
      if (text !== undefined && !inner.readOnly) helps.add(descriptionOf(text));
      walk(inner, [], depth + 1);
    }
  };
  for (const text of sources)
    for (const [, variable, name = ""] of text.matchAll(/import (\w+) from "virtual:schema\/(\w+)"/g)) {
      const forms = text
        .split(/\bschema(?=[:,])/)
        .filter((part) => part.startsWith(`: ${variable}`) || (variable === "schema" && part.startsWith(",")));
      const lists = forms.map((form) => /\bhidden: \[([^\]]*)\]/.exec(form)?.[1] ?? "");
      if (NO_FORM.includes(name)) for (const member of Object.keys(schemas[name].properties)) labels.add(labelOf(member));
      else
        walk(
          schemas[name],
          [...(lists[0] ?? "").matchAll(/"(\w+)"/g)].map(([, one]) => one ?? ""),
        );
    }
  return { labels, helps };
}

/** Returns every description of the API. @param {any} value @returns {string[]} */
const descriptionsIn = (value) =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) =>
        key === "description" && typeof inner === "string" ? [inner] : descriptionsIn(inner),
      );

/** Returns the texts that a component shows without translating them. @param {string} name */
function untranslated(name) {
  const file = ts.createSourceFile(name, readFileSync(join(src, name), "utf8"), ts.ScriptTarget.ES2022, true, ts.ScriptKind.TSX);
  /** @type {string[]} */
  const found = [];
  const visit = (/** @type {ts.Node} */ node) => {
    if (ts.isJsxText(node) && /[a-z]{2}/.test(node.text) && node.text.trim() !== "Ctrl K") found.push(node.text.trim());
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found.map((text) => `${name}: ${text}`);
}

const sources = files.map((name) => readFileSync(join(src, name), "utf8"));
/** @type {{ own: Readonly<Record<string, string>>, descriptionOf: (text: string) => string }} */
const { own, descriptionOf } = await moduleOf("help/description.ts");
const { labels, helps } = await membersOf(sources);
/** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
const choices = (await moduleOf("kit/choice-labels.ts")).CHOICES;
const described = new Set(descriptionsIn(document.components.schemas));
const outdated = Object.keys(own).filter((text) => !described.has(text));
const words = [...helps, ...Object.values(choices).flatMap((one) => Object.values(one))].filter((text) => text !== "");
const { sentences, catalogue, members } = servedTexts();
const { labelOf } = await moduleOf("kit/schema.ts");
const served = new Set([...catalogue.keys(), ...[...members].map(labelOf)]);
const keys = new Set([...CHOSEN, ...sources.flatMap(textsOf), ...labels, ...words, ...served]);
/** Returns the texts that files of Dutch translate. @param {readonly string[]} parts */
const dutchOf = (parts) => {
  const dutch = parts.map((part) => readFileSync(join(src, `i18n/nl.${part}.ts`), "utf8")).join("");
  const found = dutch.matchAll(/^\s+(?:"((?:[^"\\]|\\.)+)"|'([^'\\]+)'|([A-Za-z]+)):/gm);
  return new Set([...found].map(([, quoted, single, bare]) => (quoted === undefined ? (single ?? bare) : JSON.parse(`"${quoted}"`))));
};
const PARTS = ["a-h", "i-s", "t-z", "members", "help.realm", "help.applications", "help.providers", "help.choices", "help.served"];
/** Returns the file of a text, by the first letter of the English. @param {string} key */
const partOf = (key) => {
  const letter = /[a-z0-9]/.exec(key.toLowerCase())?.[0] ?? "a";
  return letter < "i" ? "a-h" : letter < "t" ? "i-s" : "t-z";
};
const translated = dutchOf(PARTS);
const translatedSentences = dutchOf(["sentences.a-h", "sentences.i-s", "sentences.t-z"]);
const bare = files.filter((name) => name.endsWith(".tsx")).flatMap(untranslated);
const missing = [...keys].filter((key) => !translated.has(key)).sort();
const missingSentences = [...sentences.keys()].filter((key) => !translatedSentences.has(key)).sort();
const unused = [...translated].filter((key) => !keys.has(key)).sort();
const unsaid = [...translatedSentences].filter((key) => !sentences.has(key)).sort();

if (process.argv.includes("--list")) for (const key of [...missing, ...missingSentences]) console.log(key);
else {
  for (const key of missing)
    console.error(
      `no Dutch text for: ${key} (src/i18n/nl.${served.has(key) ? "help.served" : labels.has(key) ? "members" : helps.has(key) ? "help.*" : partOf(key)}.ts)`,
    );
  for (const key of missingSentences)
    console.error(
      `no Dutch text for: ${key} (src/i18n/nl.sentences.${partOf(key.replace(/\{\w+\}/g, ""))}.ts; server/src/${sentences.get(key)})`,
    );
  for (const key of unsaid) console.error(`the server does not say: ${key} (src/i18n/nl.sentences.*.ts)`);
  for (const text of bare) console.error(`shown in English only: ${text}`);
  for (const key of unused) console.error(`no page uses: ${key}`);
  for (const key of outdated) console.error(`the API does not describe a member by: ${key} (src/help)`);
  const wrong = missing.length + missingSentences.length + bare.length + unused.length + unsaid.length + outdated.length;
  console.log(wrong === 0 ? `Texts: ${keys.size} and ${sentences.size} sentences of the server in Dutch.` : `Texts: ${wrong} to mend.`);
  process.exitCode = wrong === 0 ? 0 : 1;
}
