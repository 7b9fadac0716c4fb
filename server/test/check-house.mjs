// Checks the rules of the house that no other linter knows. --self-test shows it an offence against each of them, which it must refuse.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { analyse } from "scslre";
import ts from "typescript";
import { onceSelfTests, secondPlaces } from "./house-once.mjs";
import { onEmbedded } from "./on-embedded.mjs";

const server = dirname(dirname(fileURLToPath(import.meta.url)));
const ROOTS = ["src", "test", "bench", "migrations"];
const TIERS = "tenancy|directory|applications|federation|signin|protocols|operations";
const MAX_LINES = 500;
/** The limit in pages, protocols, signin and federation, where a rule is read from top to bottom. Tests, texts and the stylesheet are lists. */
const MAX_LINES_OF_RULES = 300;
const HOLDS_RULES = /^src\/(pages\/(?!messages\/|stylesheet[.]ts$)|(protocols|signin|federation)\/)/;

const isCode = (/** @type {string} */ path) => /[.](ts|tsx|js|mjs)$/.test(path);
const isTest = (/** @type {string} */ path) => /[.]test[.]tsx?$/.test(path) || /^(src\/testing|test)\//.test(path);

/** @typedef {(line: number, problem: string) => void} Report */

/**
 * Checks the rules about code. They read the syntax tree and not the text, so comments and strings may say anything.
 * @param {string} path @param {string} text @param {Report} report
 */
function checkCode(path, text, report) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const product = path.startsWith("src/");
  const mayReadEnvironment = !product || isTest(path) || path === "src/config.ts" || path.startsWith("src/config/");
  const mustNotHoldSql = new RegExp(`^src/(${TIERS})/`).test(path) && !isTest(path) && !/(^|[/.])store[.]ts$/.test(path);
  const mayAskTheTime = !product || path === "src/kernel/clock.ts";
  const isUnbounded = product && !isTest(path) && !READS_SHORT_TEXTS.some((place) => path.startsWith(place));

  /** @param {ts.Node} node */
  const visit = (node) => {
    const at = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    if (!mayReadEnvironment && readsEnvironment(node))
      report(at, "process.env is read by src/config.ts only: take the value from the configuration");
    if (!mayAskTheTime && asksTheTime(node)) report(at, "the time comes from kernel/clock.ts: clock.now()");
    if (product && !isTest(path) && selectsAll(node))
      report(at, "name the columns: a prepared `select *` fails on nodes of this release when the next one adds a column");
    if (mustNotHoldSql && isSql(node)) report(at, "SQL stands in store.ts or in a file called *.store.ts");
    if (product && !isTest(path)) for (const problem of secondPlaces(path, node)) report(at, problem);
    if (isUnbounded && ts.isRegularExpressionLiteral(node) && isSuperlinear(node.text))
      report(
        at,
        "the time of this expression grows with the square of its text or faster: write it without the repetition that can begin anywhere",
      );
    const switched = isTest(path) && switchesTests(node);
    if (switched) report(at, `.${switched} in a test: run it, mend it or remove it (skipIf with a condition is fine)`);
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** @param {ts.Node | undefined} node @param {string} name */
const isName = (node, name) => node !== undefined && ts.isIdentifier(node) && node.text === name;

/** @param {ts.Node} node */
function readsEnvironment(node) {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === "env" && isName(node.expression, "process");
  if (ts.isElementAccessExpression(node)) {
    return isName(node.expression, "process") && ts.isStringLiteral(node.argumentExpression) && node.argumentExpression.text === "env";
  }
  // const { env } = process
  if (ts.isVariableDeclaration(node)) {
    const names = ts.isObjectBindingPattern(node.name) ? node.name.elements.map((element) => element.propertyName ?? element.name) : [];
    return isName(node.initializer, "process") && names.some((name) => isName(name, "env"));
  }
  // import { env } from "node:process"
  return (
    ts.isImportSpecifier(node) &&
    isName(node.propertyName ?? node.name, "env") &&
    /process["']$/.test(node.parent.parent.parent.moduleSpecifier.getText())
  );
}

/** @param {ts.Node} node */
function asksTheTime(node) {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === "now" && isName(node.expression, "Date");
  if (ts.isNewExpression(node)) return isName(node.expression, "Date") && (node.arguments?.length ?? 0) === 0;
  return ts.isCallExpression(node) && isName(node.expression, "Date");
}

/** Files whose expressions read short texts only: those of operators, those that were cut before, or what a person types in a browser. */
const READS_SHORT_TEXTS = [
  ...["cli/", "config/", "kernel/postgres-url.ts", "pages/messages.ts", "pages/assets/"],
  ...["directory/groups/paths.store.ts", "federation/brokers/accounts.ts", "tenancy/images/svg.ts"],
].map((place) => `src/${place}`);

/** Tells whether an expression backtracks in more than linear time. @param {string} literal */
function isSuperlinear(literal) {
  const end = literal.lastIndexOf("/");
  return analyse({ source: literal.slice(1, end), flags: literal.slice(end + 1) }, { reportTypes: { Move: true } }).reports.length > 0;
}

/** @param {ts.Node} node */
const selectsAll = (node) => ts.isPropertyAccessExpression(node) && ["selectAll", "returningAll"].includes(node.name.text);

/** Tells whether the node is a statement, a part of one, a query of Kysely, or rows by their columns (`platform/db/rows.ts`). @param {ts.Node} node */
const isSql = (node) =>
  ts.isTaggedTemplateExpression(node)
    ? isName(node.tag, "sql")
    : ts.isCallExpression(node)
      ? ["findRow", "insertRow", "updateRows", "deleteRows"].some((name) => isName(node.expression, name))
      : ts.isPropertyAccessExpression(node) && ["selectFrom", "insertInto", "updateTable", "deleteFrom"].includes(node.name.text);

const SWITCHES = ["only", "skip", "todo"];

/** Returns the switch that selects or skips a test unconditionally: `test.only`, `describe.concurrent.skip`, `{ todo: true }`. @param {ts.Node} node */
function switchesTests(node) {
  /** @param {ts.Node} root @returns {boolean} */
  const ofVitest = (root) =>
    ts.isPropertyAccessExpression(root) || ts.isCallExpression(root)
      ? ofVitest(root.expression)
      : ["test", "it", "describe", "suite", "bench"].some((name) => isName(root, name));

  if (ts.isPropertyAccessExpression(node))
    return SWITCHES.includes(node.name.text) && ofVitest(node.expression) ? node.name.text : undefined;
  if (!ts.isCallExpression(node) || !ofVitest(node.expression)) return undefined;
  const options = node.arguments.filter(ts.isObjectLiteralExpression).flatMap((literal) => [...literal.properties]);
  const on = options.find(
    (option) =>
      ts.isPropertyAssignment(option) && SWITCHES.includes(option.name.getText()) && option.initializer.kind === ts.SyntaxKind.TrueKeyword,
  );
  return on?.name?.getText();
}

const VAGUE = "utils?|helpers?|common|managers?|base";
const VAGUE_NAME = new RegExp(`^(${VAGUE})$`, "i");
const VAGUE_ENDING = new RegExp(`[-_](${VAGUE})$`, "i");
// The words are composed, so that this file does not find itself.
const UNFINISHED = new RegExp(`\\b(${["TO", "FIX"].map((word, i) => word + ["DO", "ME"][i]).join("|")})\\b`);

/** Words with which neither a sentence nor the name of a thing begins. A comment or a heading that begins so is a fragment. */
const BEGINNINGS = "What|Whatever|Whom|Whose|Who|Whoever|Which|Whichever|Whether|How|Where|Of|Those";
const FRAGMENT = new RegExp(`(^\\s*[{]?/[*][*]?|^\\s*[*]|(?:^|\\s)//) (${BEGINNINGS})\\b`);
const FRAGMENT_HEADING = new RegExp(`^#+ (${BEGINNINGS})\\b`);

/** Returns the word with which a comment begins as a fragment. A later line of a comment continues a sentence. @param {string} line @param {string} before */
function fragmentIn(line, before) {
  const [, mark, word] = FRAGMENT.exec(line) ?? [];
  const continues = mark?.trim() === "*" ? before.trim() !== "/**" : /^\s*\/\//.test(line) && /^\s*\/\//.test(before);
  return continues ? undefined : word;
}

/** Checks the comments of code and the headings of documents, also outside of `server`. @param {string} path @param {string} text */
function checkProse(path, text) {
  const [isDocument, isCommented] = [path.endsWith(".md"), isCode(path) || path.endsWith(".css")];
  return text.split("\n").flatMap((line, i, lines) => {
    const comment = isCommented ? fragmentIn(line, lines[i - 1] ?? "") : undefined;
    if (comment) return `${path}:${i + 1}: a comment that begins with ${comment} is a fragment: write a sentence, or name the thing`;
    const heading = isDocument ? FRAGMENT_HEADING.exec(line)?.[1] : undefined;
    return heading ? `${path}:${i + 1}: a heading that begins with ${heading} is a fragment: name the thing` : [];
  });
}

/**
 * Checks that the sources which a document names by their path below `src` exist.
 * @param {string} path @param {string} text @param {(source: string) => boolean} exists
 */
function checkNamedSources(path, text, exists) {
  const named = [...text.matchAll(new RegExp(`\`((?:kernel|platform|pages|${TIERS})/[\\w/.-]+[.]tsx?)\``, "g"))].map(
    ([, source = ""]) => source,
  );
  return named.filter((source) => !exists(source)).map((source) => `${path}: there is no src/${source}`);
}

/** Returns the faults of one file, one line each. @param {string} path below server @param {string} text */
function checkFile(path, text) {
  /** @type {string[]} */
  const problems = [];
  const lines = text.split("\n");
  const vague = path.split("/").find((part) => part.split(".").some((word) => VAGUE_NAME.test(word) || VAGUE_ENDING.test(word)));
  if (vague) problems.push(`${path}: the name ${vague} says nothing: name it for what it holds`);
  const most = HOLDS_RULES.test(path) && !isTest(path) ? MAX_LINES_OF_RULES : MAX_LINES;
  if (path.startsWith("src/") && lines.length - (text.endsWith("\n") ? 1 : 0) > most) {
    problems.push(`${path}: over ${most} lines: split it by noun`);
  }
  for (const [i, line] of lines.entries())
    if (UNFINISHED.test(line)) problems.push(`${path}:${i + 1}: finish it, or open an issue and leave no note`);
  problems.push(...checkProse(path, text));
  if (isCode(path)) checkCode(path, text, (line, problem) => problems.push(`${path}:${line}: ${problem}`));
  return problems;
}

/** Checks that every feature has an index.ts. Federation is one feature. @param {string[]} paths */
function checkFeatures(paths) {
  const features = new Set(paths.flatMap((path) => path.match(`^src/(?:pages|federation|(?:${TIERS})/[^/]+)(?=/)`)?.[0] ?? []));
  const closed = [...features].filter((feature) => !paths.includes(`${feature}/index.ts`) && !paths.includes(`${feature}/index.tsx`));
  return closed.map((feature) => `${feature}: a feature is entered by its index.ts, and there is none`);
}

/** Columns that are sealed for minutes: the previous key opens them as long as they live. */
const SHORT_LIVED = ["interactions.state", "action_tokens.data", "oidc_records.payload", "broker_logouts.kept"];

/**
 * Checks that cli/sealed-columns.ts lists every column that is sealed under the master key, or a change of the key would leave it unreadable. A place is an
 * object literal with `table`, `column` and `row`.
 * @param {{ path: string, text: string }[]} files @param {string} list the text of that file
 */
function checkSealedColumns(files, list) {
  const columns = [...list.matchAll(/table: "(\w+)", column: "(\w+)"/g)].map(([, table, column]) => `${table}.${column}`);
  const listed = new Set([...columns, ...SHORT_LIVED]);
  return files.flatMap(({ path, text }) => {
    /** @type {string[]} */
    const problems = [];
    /** @param {ts.Node} node */
    const visit = (node) => {
      if (ts.isObjectLiteralExpression(node)) {
        const members = new Map(node.properties.map((member) => [member.name?.getText(), member]));
        const [table, column] = ["table", "column"].map((name) => {
          const member = members.get(name);
          return member && ts.isPropertyAssignment(member) && ts.isStringLiteral(member.initializer) ? member.initializer.text : undefined;
        });
        if (members.has("row") && table && column && !listed.has(`${table}.${column}`))
          problems.push(`${path}: ${table}.${column} is sealed, but cli/sealed-columns.ts does not list it: rewrap would pass over it`);
      }
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
    return problems;
  });
}

/**
 * Checks that every table with `realm_id` is in a section of the export, or on the list of those that never are, so that no new table is forgotten.
 * @param {string[]} migrations their texts, in order @param {string[]} sections the texts of operations/transfer/sections @param {string} never the text of never.ts
 */
function checkExported(migrations, sections, never) {
  /** @type {Set<string>} */
  const tables = new Set();
  for (const text of migrations) {
    for (const [, table, columns] of text.matchAll(/create table (?:if not exists )?(\w+) \(([\s\S]*?)\n\)/g))
      if (table && /^\s*realm_id\s/m.test(columns ?? "")) tables.add(table);
    for (const [, table] of text.matchAll(/drop table (?:if exists )?(\w+)/g)) if (table) tables.delete(table);
  }
  const carried = sections.flatMap((text) =>
    [...text.matchAll(/tables: \[([^\]]*)\]/g)].flatMap(([, list]) => [...(list ?? "").matchAll(/"(\w+)"/g)]),
  );
  const named = new Set([...carried, ...never.matchAll(/"(\w+)"/g)].map(([, table]) => table));
  const forgotten = [...tables].filter((table) => !named.has(table));
  const gone = [...named].filter((table) => table && !tables.has(table));
  return [
    ...forgotten.map(
      (table) => `${table}: in no section of operations/transfer/sections, and not on the list of never.ts: say what becomes of it`,
    ),
    ...gone.map((table) => `${table}: named in operations/transfer, but there is no such table with realm_id`),
  ];
}

/** Lists that this check reads as text, so no module imports them. */
const READ_AS_TEXT = ["neverExported", "userTables"];

/**
 * Checks that a function, a constant, a class or a type alias which only its own file names is not exported, because a reader would look for its callers in
 * vain.
 * @param {{ path: string, text: string }[]} files
 */
function checkExports(files) {
  /** @type {Map<string, Set<string>>} */
  const named = new Map();
  for (const { path, text } of files)
    for (const [word] of text.matchAll(/[A-Za-z_$][\w$]*/g)) named.set(word, (named.get(word) ?? new Set()).add(path));
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:const|function[*]?|class|type) ([\w$]+)/gm)]
      .filter(([, name = ""]) => path.startsWith("src/") && named.get(name)?.size === 1 && !READ_AS_TEXT.includes(name))
      .map(([, name]) => `${path}: ${name} is exported, but no other file names it`),
  );
}

/** @param {string[]} args @returns {string | undefined} undefined when git cannot answer */
function git(...args) {
  const { status, stdout } = spawnSync("git", args, { cwd: server, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Checks that landed migrations are unchanged: they have run somewhere, and a change to their file would never reach that database.
 * @param {Map<string, string>} landed the blob of every migration in the commit that added it
 * @param {Map<string, string>} present the blob of every migration now
 */
function checkMigrations(landed, present) {
  return [...landed].flatMap(([path, blob]) => {
    if (!present.has(path)) return `${path}: a landed migration was removed: put it back and undo it by a new one`;
    return present.get(path) === blob ? [] : `${path}: a landed migration was edited: put it back and write a new one`;
  });
}

/** @returns {Map<string, string> | undefined} */
function landedMigrations() {
  // The newest commits come first, so the commit that first added a file comes last and counts.
  const log = git("log", "--no-renames", "--diff-filter=A", "--raw", "--no-abbrev", "--relative", "--format=", "--", "migrations");
  if (log === undefined) return undefined;
  const added = log.split("\n").flatMap((line) => {
    const [, blob, path] = line.match(/^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) A\t(.+[.]sql)$/) ?? [];
    return blob && path ? [/** @type {const} */ ([path, blob])] : [];
  });
  return new Map(added);
}

function product() {
  const paths = ROOTS.filter((root) => existsSync(join(server, root)))
    .flatMap((root) => readdirSync(join(server, root), { recursive: true, encoding: "utf8" }).map((path) => `${root}/${path}`))
    .filter((path) => statSync(join(server, path)).isFile());
  const problems = paths.flatMap((path) => checkFile(path, readFileSync(join(server, path), "utf8")));
  const prose = (git("ls-files", "--full-name", "..") ?? "").split("\n").filter((path) => path !== "" && !path.startsWith("server/"));
  const written = prose.filter((path) => existsSync(join(server, "..", path)) && (isCode(path) || /[.](css|md)$/.test(path)));
  problems.push(...written.flatMap((path) => checkProse(path, readFileSync(join(server, "..", path), "utf8"))));
  for (const path of written.filter((one) => one.endsWith(".md")))
    problems.push(...checkNamedSources(path, readFileSync(join(server, "..", path), "utf8"), (source) => paths.includes(`src/${source}`)));
  problems.push(...checkFeatures(paths));
  const gone = onEmbedded.filter((path, i) => !paths.includes(path) || onEmbedded.indexOf(path) < i);
  problems.push(...gone.map((path) => `test/on-embedded.mjs: ${path} does not exist, or is listed twice`));
  const code = paths.filter((path) => path.startsWith("src/") && isCode(path) && !isTest(path));
  const texts = code.map((path) => ({ path, text: readFileSync(join(server, path), "utf8") }));
  problems.push(...checkSealedColumns(texts, readFileSync(join(server, "src/cli/sealed-columns.ts"), "utf8")));
  const textOf = (/** @type {string} */ path) => readFileSync(join(server, path), "utf8");
  problems.push(...checkExports(paths.filter(isCode).map((path) => ({ path, text: textOf(path) }))));
  const sql = paths.filter((path) => /^migrations\/.+[.]sql$/.test(path)).sort();
  const sections = paths.filter((path) => /^src\/operations\/transfer\/(sections\/|users[.]ts$)/.test(path));
  problems.push(...checkExported(sql.map(textOf), sections.map(textOf), textOf("src/operations/transfer/never.ts")));
  if (!paths.some((path) => path.startsWith("src/"))) problems.push("src holds no files, so nothing was checked");

  const landed = landedMigrations();
  if (!landed) console.log("House: git is not there, so edits of landed migrations were not looked for.");
  else if (git("rev-parse", "--is-shallow-repository") === "true") {
    console.log("House: this clone is shallow, so edits of landed migrations before it were not looked for.");
  }
  const migrations = paths.filter((path) => /^migrations\/.+[.]sql$/.test(path));
  const present = new Map(migrations.map((path) => [path, git("hash-object", path) ?? ""]));
  problems.push(...checkMigrations(landed ?? new Map(), present));
  return { problems, summary: `${paths.length} files and ${migrations.length} migrations keep the rules` };
}

function selfTest() {
  const long = "\n".repeat(MAX_LINES + 1);
  const note = UNFINISHED.source.match(/[A-Z]{4}/)?.[0];
  /** @type {[path: string, text: string][]} */
  const offences = [
    ...onceSelfTests.map(({ refused }) => refused),
    ["src/kernel/a.ts", "process.env.HOME"],
    ["src/kernel/a.ts", "process['env']"],
    ["src/kernel/a.ts", "const { env: e } = process"],
    ["src/kernel/a.ts", 'import { env } from "node:process"'],
    ["src/directory/users/store.ts", "db.selectFrom('users').selectAll()"],
    ["src/directory/users/service.ts", "sql<number>`select 1`"],
    ["src/directory/users/list.ts", "db.selectFrom('users').select('user_id')"],
    ["src/directory/users/list.ts", "findRow(db, 'users', ['user_id'], { realm_id: realm })"],
    ["src/kernel/a.ts", "Date.now()"],
    ["src/kernel/a.test.ts", "const now = Date.now"],
    ["src/kernel/a.ts", "new Date()"],
    ["src/kernel/a.ts", "new Date"],
    ["src/kernel/a.ts", "Date()"],
    ["src/kernel/a.ts", long],
    ["src/protocols/oidc/a.ts", "\n".repeat(MAX_LINES_OF_RULES + 1)],
    ["src/pages/a.tsx", "\n".repeat(MAX_LINES_OF_RULES + 1)],
    ["src/kernel/a.ts", `// ${note}: later`],
    ["migrations/0001_a.sql", `-- ${note}`],
    ...BEGINNINGS.split("|").flatMap(
      (word) =>
        /** @type {[string, string][]} */ ([
          ["src/kernel/a.ts", `/** ${word} the answer's body. */`],
          ["src/kernel/a.test.ts", `/**\n * ${word} was set.\n */`],
          ["test/journeys/a.tsx", `const a = 1; // ${word} of the realm`],
          ["bench/a.mjs", `  // ${word} it concerns.`],
          ["web/console/a.css", `/* ${word} it is. */`],
          ["docs/a.md", `## ${word} it is`],
        ]),
    ),
    ["src/kernel/a.ts", "text.replace(/ +$/, '')"],
    ["src/protocols/oidc/a.ts", "/^[ ]*(a)?[ ]*$/.test(text)"],
    ["src/kernel/a.test.ts", "test.only('a', () => {})"],
    ["test/journeys/a.test.ts", "describe.concurrent.skip('a', () => {})"],
    ["src/kernel/a.test.ts", "test.skip.each([1])('a', () => {})"],
    ["src/testing/suite.ts", "it.todo('a')"],
    ["src/kernel/a.test.ts", "test('a', { skip: true }, () => {})"],
    ["src/utils/a.ts", ""],
    ["src/kernel/helpers.ts", ""],
    ["src/kernel/Common.ts", ""],
    ["src/kernel/session-manager.ts", ""],
    ["src/kernel/users.helper.ts", ""],
    ["test/journeys/base.ts", ""],
  ];
  /** @type {[path: string, text: string][]} */
  const tidy = [
    ...onceSelfTests.map(({ allowed }) => allowed),
    ["src/directory/users/list.store.ts", "sql`select 1`"],
    ["src/config.ts", "process.env.HOME"],
    ["src/config/read.ts", "process.env.HOME"],
    ["src/kernel/a.test.ts", "process.env.HOME"],
    ["src/testing/harness.ts", "process.env.HOME"],
    ["src/kernel/clock.ts", "Date.now()"],
    ["src/protocols/oidc/a.ts", "engine.answer(interaction)"],
    ["src/kernel/a.ts", "// process.env and Date.now() are banned\nnew Date(0); const text = 'new Date()'; clock.now(); config.env;"],
    ["src/kernel/a.ts", "// The limits\n// Of a body.\n/**\n * The members\n * Those of a realm count.\n */"],
    ["docs/a.md", "What it is, a sentence may ask.\n\n## When it fails"],
    ["src/kernel/a.ts", "\n".repeat(MAX_LINES)],
    ["src/signin/login/a.ts", "\n".repeat(MAX_LINES_OF_RULES)],
    ["src/signin/login/a.test.ts", "\n".repeat(MAX_LINES)],
    ["src/pages/messages/en.ts", "\n".repeat(MAX_LINES)],
    ["src/pages/stylesheet.ts", "\n".repeat(MAX_LINES)],
    ["src/kernel/a.ts", "only.skip.todo(list.skip)"],
    ["src/kernel/a.test.ts", "test.skipIf(!chromiumPath())('a', () => { rows.skip(1); })"],
    ["src/protocols/account/a.test.ts", "request.headers.authorization"],
    ["src/kernel/a.ts", "text.split(/ +/); /^a+$/.test(text); /[?](.*)/s.exec(text)"],
    ["src/config/kinds.ts", "text.replace(/ +$/, '')"],
    ["src/kernel/base64.ts", ""],
    ["src/platform/database.ts", ""],
    ["src/directory/credentials/common-passwords.ts", ""],
  ];
  const problems = offences
    .filter(([path, text]) => checkFile(path, text).length !== 1)
    .map(([path, text]) => `not refused exactly once: ${path} ${text.trim()}`);
  problems.push(...tidy.flatMap(([path, text]) => checkFile(path, text).map((problem) => `refused without reason: ${problem}`)));
  if (checkFeatures(["src/signin/login/routes.ts"]).length !== 1) problems.push("a feature without a door passes");
  if (checkFeatures(["src/signin/login/index.tsx", "src/signin/login/a/b.ts", "src/kernel/clock.ts", "src/signin/notes.md"]).length > 0)
    problems.push("a feature with a door is refused");
  const place = [{ path: "src/a.ts", text: 'const at = (id) => ({ realm, table: "clients", column: "secret", row: id });' }];
  if (checkSealedColumns(place, '{ table: "webhooks", column: "secret" }').length !== 1)
    problems.push("a sealed column that is not listed passes");
  if (checkSealedColumns(place, '{ table: "clients", column: "secret" }').length > 0) problems.push("a listed column is refused");
  const table = ["create table pets (\n  realm_id text not null,\n  name text\n);\ncreate table plain (\n  id text\n);"];
  if (checkExported(table, ['tables: ["owners"]'], "").length !== 2) problems.push("a table that no export knows passes");
  if (checkExported(table, ['tables: ["pets"]'], "").length > 0) problems.push("a table that a section carries is refused");
  if (checkExported([...table, "drop table pets;"], [], "").length > 0) problems.push("a table that is gone is asked for");
  if (checkNamedSources("docs/a.md", "`signin/run/gone.ts`", () => false).length !== 1)
    problems.push("a document that names no source passes");
  if (checkNamedSources("docs/a.md", "`signin/run/run.ts` and `a/b.ts`", () => true).length > 0) problems.push("a named source is refused");
  const exporter = { path: "src/kernel/a.ts", text: "export const lonely = 1;" };
  if (checkExports([exporter]).length !== 1) problems.push("an export that no other file names passes");
  if (checkExports([exporter, { path: "src/b.ts", text: "lonely" }]).length > 0)
    problems.push("an export that another file names is refused");
  const landed = new Map([["migrations/0001_a.sql", "1"]]);
  if (checkMigrations(landed, new Map([["migrations/0001_a.sql", "2"]])).length !== 1) problems.push("an edited migration passes");
  if (checkMigrations(landed, new Map()).length !== 1) problems.push("a removed migration passes");
  if (checkMigrations(landed, new Map([...landed, ["migrations/0002_b.sql", "3"]])).length > 0) problems.push("a new migration is refused");
  return { problems, summary: `${offences.length + 11} offences are refused, and nothing else` };
}

const { problems, summary } = process.argv.includes("--self-test") ? selfTest() : product();
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `House: ${summary}.` : `House: ${problems.length} to mend.`);
process.exitCode = problems.length === 0 ? 0 : 1;
