// Reads the sentences that the admin API can answer with from the sources of the server: messages of errors and of their members, outcomes of tests,
// states. `{name}` stands for a value.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const src = fileURLToPath(new URL("../../server/src/", import.meta.url));

/** Sources whose sentences never reach the console: commands, protocols for applications, pages of users. */
const ELSEWHERE =
  /^(?:kernel\/(?:oauth-error|semaphore)|directory\/import\/dry-run|platform\/rate-limit\/(?!hook)|cli|config|testing|pages\/(?!own-texts|custom-css|brand)|protocols\/(?!gate\/|scim\/tokens\/|registration\/provisioning\/|registration\/errors)|signin\/(?!flows\/|enrolled-devices\/|impersonation\/|sessions\/|invitations\/|self-service\/actions)|federation\/(?:oidc|saml|eid)\/(?!test-call|metadata|members)|operations\/(?:api-docs|external-import\/(?!errors|body|multipart|lines|rows)|monitoring)|platform\/(?:ldap|saml|jobs|db|telemetry))|^(?:config|master-key|bootstrap|app|main)\.ts|\.test\.ts$/;

/** The calls that make an error, and the argument with its sentence. */
const MAKERS = new Map([
  ["AppError", 2],
  ["malformed", 0],
  ["tooMany", 1],
]);

/** The members of answers that hold a sentence. */
const MEMBERS = /^(?:message|reason)$/;

/** The members of catalogues that are shown. */
const SHOWN = /^(?:displayName|description|label)$/;

/** @typedef {ts.Node} Node */
/** @typedef {{ readonly name: string, readonly file: ts.SourceFile }} Place */

/** @param {string} text */
const nameOf = (text) => /(\w+)\W*$/.exec(text.replace(/\(.*\)/s, "").replace(/\[.*\]/s, ""))?.[1] ?? "value";

/** Sources of records and catalogues that the console shows: steps of flows, permissions, what every realm begins with. */
const CATALOGUES =
  /^(?:signin\/authenticators\/|signin\/flows\/built-in|tenancy\/permissions\/|directory\/roles\/service|applications\/client-scopes\/seeds)/;

/** Returns the sentences, and the names and descriptions of catalogues, each with the place where it is written, and the members of catalogues. */
export function servedTexts() {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /[.]tsx?$/.test(name) && !/[.]test[.]ts$/.test(name) && (!ELSEWHERE.test(name) || CATALOGUES.test(name)))
    .map((name) => ts.createSourceFile(name, readFileSync(join(src, name), "utf8"), ts.ScriptTarget.ES2022, true));
  /** @type {Map<string, ts.CallLikeExpression[]>} */
  const calls = new Map();
  /** @type {Map<string, Node[]>} */
  const declared = new Map();
  const put = (/** @type {Map<string, any[]>} */ map, /** @type {string} */ key, /** @type {any} */ value) =>
    map.has(key) ? map.get(key)?.push(value) : map.set(key, [value]);
  const each = (/** @type {Node} */ node, /** @type {(node: Node) => void} */ visit) => {
    visit(node);
    ts.forEachChild(node, (child) => each(child, visit));
  };
  for (const file of files)
    each(file, (node) => {
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
        const name = ts.isPropertyAccessExpression(node.expression) ? node.expression.name.text : node.expression.getText(file);
        put(calls, name, node);
      }
      if ((ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node)) && node.name && ts.isIdentifier(node.name))
        put(declared, node.name.text, node);
    });

  /** @type {Map<string, string>} */
  const found = new Map();
  /** The texts that an expression can have. An empty list stands for one that is being looked for. @type {Map<Node, readonly string[]>} */
  const known = new Map();

  /** @type {Map<ts.SourceFile, Set<string>>} */
  const imports = new Map();
  /** Returns the names that a file imports. @param {ts.SourceFile} file */
  const importsOf = (file) => {
    const names =
      imports.get(file) ??
      new Set([...file.text.matchAll(/^import (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) => (list ?? "").match(/\w+/g) ?? []));
    imports.set(file, names);
    return names;
  };

  /** Returns what a name stands for: in its own file, or in the one that exports it. @param {string} name @param {ts.SourceFile} file */
  const declarationsOf = (name, file) => {
    const all = declared.get(name) ?? [];
    const own = all.filter((node) => node.getSourceFile() === file);
    if (own.length > 0) return own;
    return importsOf(file).has(name)
      ? all.filter((node) => /^\s*export/.test((ts.isFunctionDeclaration(node) ? node : node.parent.parent).getText()))
      : [];
  };

  /** Returns what a function returns. @param {any} fn @returns {ts.Expression[]} */
  const returnsOf = (fn) => {
    if (!fn?.body) return [];
    if (!ts.isBlock(fn.body)) return [fn.body];
    /** @type {ts.Expression[]} */
    const list = [];
    const walk = (/** @type {Node} */ node) => {
      if (ts.isReturnStatement(node) && node.expression) list.push(node.expression);
      if (!ts.isFunctionLike(node)) ts.forEachChild(node, walk);
    };
    ts.forEachChild(fn.body, walk);
    return list;
  };
  const isFunction = (/** @type {any} */ node) =>
    node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node));

  /** Returns the texts that an expression can be. @param {Node | undefined} node @returns {readonly string[]} */
  function textsOf(node) {
    if (!node) return [];
    const before = known.get(node);
    if (before) return before;
    known.set(node, []);
    const texts = [...new Set(resolved(node))].filter((text) => text.length < 600).slice(0, 100);
    known.set(node, texts);
    return texts;
  }

  /** @param {Node} node @returns {string[]} */
  function resolved(node) {
    const file = node.getSourceFile();
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isTemplateExpression(node)) {
      let texts = [node.head.text];
      /** @type {Record<string, number>} */
      const used = {};
      const slot = (/** @type {ts.Expression} */ value) => {
        const name = nameOf(value.getText(file));
        used[name] = (used[name] ?? 0) + 1;
        return `{${name}${used[name] === 1 ? "" : used[name]}}`;
      };
      for (const { expression, literal } of node.templateSpans) {
        const inner = choicesOf(expression);
        if (!inner) for (const text of textsOf(expression)) add(text, expression);
        const parts = inner ?? [slot(expression)];
        texts = texts.flatMap((text) => parts.map((part) => text + part + literal.text));
      }
      return texts;
    }
    if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
    if (ts.isBinaryExpression(node)) {
      if (node.operatorToken.kind === ts.SyntaxKind.PlusToken)
        return textsOf(node.left).flatMap((left) => {
          const right = textsOf(node.right);
          return (right.length > 0 ? right : [`{${nameOf(node.right.getText(file))}}`]).map((text) => left + text);
        });
      return [...textsOf(node.left), ...textsOf(node.right)];
    }
    if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isNonNullExpression(node) || ts.isSatisfiesExpression(node))
      return textsOf(node.expression);
    if (ts.isObjectLiteralExpression(node))
      return node.properties.flatMap((one) => (ts.isPropertyAssignment(one) ? textsOf(one.initializer) : []));
    if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(textsOf);
    if (ts.isIdentifier(node)) return namedTexts(node, file);
    if (ts.isElementAccessExpression(node)) return textsOf(node.expression).filter((text) => text.includes(" "));
    if (isFunction(node)) return returnsOf(node).flatMap(textsOf);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
      return declarationsOf(node.expression.text, file).flatMap((one) =>
        returnsOf(ts.isVariableDeclaration(one) ? one.initializer : one).flatMap(textsOf),
      );
    return [];
  }

  /** @param {ts.Identifier} node @param {ts.SourceFile} file @returns {string[]} */
  function namedTexts(node, file) {
    for (let scope = node.parent; scope; scope = scope.parent) {
      if (!ts.isFunctionLike(scope)) continue;
      const index = scope.parameters.findIndex(({ name }) => ts.isIdentifier(name) && name.text === node.text);
      if (index < 0) continue;
      const [parameter] = [scope.parameters[index]];
      const given = callersOf(scope, file).flatMap((call) => textsOf(call.arguments?.[index]));
      return [...given, ...textsOf(parameter?.initializer)];
    }
    return declarationsOf(node.text, file).flatMap((one) => (ts.isVariableDeclaration(one) ? textsOf(one.initializer) : []));
  }

  /** Returns the calls of a function, by its name. @param {any} scope @param {ts.SourceFile} file @returns {any[]} */
  function callersOf(scope, file) {
    const holder = ts.isConstructorDeclaration(scope) ? scope.parent : isFunction(scope) && !scope.name ? scope.parent : scope;
    const name = holder?.name && ts.isIdentifier(holder.name) ? holder.name.text : undefined;
    if (!name) return [];
    return (calls.get(name) ?? []).filter((call) => {
      const other = call.getSourceFile();
      return other === file || importsOf(other).has(name);
    });
  }

  /** Returns the texts of a choice between literal texts, which are written out. @param {ts.Expression} node @returns {string[] | undefined} */
  function choicesOf(node) {
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (!ts.isConditionalExpression(node)) return undefined;
    const [one, other] = [textsOf(node.whenTrue), textsOf(node.whenFalse)];
    return one.length === 1 && other.length === 1 ? [...one, ...other] : undefined;
  }

  /** @param {string} text @param {Node} node */
  function add(text, node) {
    const words = text.replace(/^\{\w+\}:? /, "").replace(/\{\w+\}/g, "");
    if (!/[A-Za-z]{2}.* .*[A-Za-z]{2}/s.test(words) || /</.test(words)) return;
    const file = node.getSourceFile();
    const sentence = text.replace(/^\{(?:field|at|path|place|member|range|name|peer)\}:? /, "").replace(/^[a-z]\w*(?:\.\w+)*: /, "");
    if (!found.has(sentence)) found.set(sentence, `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
  }

  for (const file of files.filter(({ fileName }) => !ELSEWHERE.test(fileName)))
    each(file, (node) => {
      /** @type {Node | undefined} */
      let sentence;
      if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
        const name = node.expression.getText(file);
        if (name === "defineErrors" && node.arguments?.[1] && ts.isObjectLiteralExpression(node.arguments[1]))
          for (const one of node.arguments[1].properties)
            if (ts.isPropertyAssignment(one) && ts.isArrayLiteralExpression(one.initializer))
              for (const text of textsOf(one.initializer.elements[1])) add(text, one);
        const at = MAKERS.get(name);
        if (at !== undefined) sentence = node.arguments?.[at];
        else if (name === "super") sentence = node.arguments?.[0];
        else if (
          ts.isNewExpression(node) &&
          /(?:Error|Refused|TryAgain|GiveUp)$/.test(name) &&
          !/^(?:Error|TypeError|OAuthError|ConfigError|VaultError)$/.test(name)
        )
          for (const one of node.arguments ?? []) for (const text of textsOf(one)) add(text, node);
      }
      if (ts.isPropertyAssignment(node) && MEMBERS.test(node.name.getText(file))) sentence = node.initializer;
      if (ts.isShorthandPropertyAssignment(node) && MEMBERS.test(node.name.text)) sentence = node.name;
      if (sentence) for (const text of textsOf(sentence)) add(text, sentence);
    });
  /** @type {Map<string, string>} */
  const catalogue = new Map();
  /** The members of steps. */
  const members = new Set(["negate"]);
  for (const file of files.filter(({ fileName }) => CATALOGUES.test(fileName)))
    each(file, (node) => {
      /** @type {Node | undefined} */
      let text;
      if (ts.isPropertyAssignment(node) && SHOWN.test(node.name.getText(file))) text = node.initializer;
      if (ts.isShorthandPropertyAssignment(node) && SHOWN.test(node.name.text)) text = node.name;
      for (const one of textsOf(text)) if (/^(?:[A-Z]|`\d)/.test(one)) catalogue.set(one, file.fileName);
      if (ts.isPropertyAssignment(node) && /^(?:Type[.]|names\()/.test(node.initializer.getText(file)))
        members.add(node.name.getText(file));
    });
  for (const text of catalogue.keys()) found.delete(text);
  return { sentences: found, catalogue, members };
}
