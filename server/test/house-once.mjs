// Rules about code that may be in one place only. Each finds the code, names its place, and has offences for the self-test of check-house.mjs.
import ts from "typescript";

/**
 * @typedef {object} Once
 * @property {(node: ts.Node) => boolean} finds
 * @property {string[]} in paths, or beginnings of paths, below server
 * @property {string} problem
 * @property {string[]} offences one line each
 */

const OFFENCE_PATH = "src/protocols/scim/routes.ts";

/** Returns the called name: `a.b.c(…)` is `b.c`, `c(…)` is `c`. @param {ts.Node} node */
function calledBy(node) {
  if (!ts.isCallExpression(node)) return undefined;
  const { expression } = node;
  if (ts.isIdentifier(expression)) return expression.text;
  if (!ts.isPropertyAccessExpression(expression)) return undefined;
  const on = ts.isPropertyAccessExpression(expression.expression) ? expression.expression.name : expression.expression;
  return `${on.getText()}.${expression.name.text}`;
}

/** @param {...string} names */
const calls =
  (...names) =>
  (/** @type {ts.Node} */ node) =>
    names.includes(calledBy(node) ?? "");

/** @param {string} name */
const declares = (name) => (/** @type {ts.Node} */ node) =>
  (ts.isFunctionDeclaration(node) ||
    ts.isVariableDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node)) &&
  node.name?.getText() === name;

/** @param {ts.Node} node @param {string} text */
const isText = (node, text) => ts.isStringLiteralLike(node) && node.text === text;

/** Returns the last name of an expression from which a member is read: `request.headers` is `headers`. @param {ts.Expression} node */
const lastName = (node) => (ts.isPropertyAccessExpression(node) ? node.name.text : ts.isIdentifier(node) ? node.text : "");

/**
 * Finds `from.member`, `from["member"]`, `const { member } = from`, or a parameter `{ member }: Type`.
 * @param {string} from @param {string} member @param {string} [type]
 */
const reads = (from, member, type) => (/** @type {ts.Node} */ node) => {
  if (ts.isPropertyAccessExpression(node)) return node.name.text === member && lastName(node.expression) === from;
  if (ts.isElementAccessExpression(node)) return isText(node.argumentExpression, member) && lastName(node.expression) === from;
  if (!ts.isBindingElement(node) || (node.propertyName ?? node.name).getText() !== member) return false;
  const { parent } = node.parent;
  if (ts.isParameter(parent)) return type !== undefined && parent.type?.getText() === type;
  if (ts.isVariableDeclaration(parent)) return parent.initializer !== undefined && lastName(parent.initializer) === from;
  // { from: { member } }
  return ts.isBindingElement(parent) && (parent.propertyName ?? parent.name).getText() === from;
};

/** Finds an actor as a literal: `{ id, name, realm, permissions … }` that is not the argument of actorOf. @param {ts.Node} node */
function writesActor(node) {
  if (!ts.isObjectLiteralExpression(node) || calledBy(node.parent) === "actorOf") return false;
  const names = new Set(node.properties.map((member) => member.name?.getText()));
  return (
    ["id", "name", "realm"].every((name) => names.has(name)) && ["permissions", "sessionId", "impersonator"].some((name) => names.has(name))
  );
}

/** @param {ts.Node} node */
const replacesConsole = (node) =>
  ts.isBinaryExpression(node) &&
  node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
  ts.isPropertyAccessExpression(node.left) &&
  lastName(node.left.expression) === "console";

const LEASE = /\b(?:locked|held|lease|refreshing)_until$/;
const SHARED = "clock.shared()";

/** The end of a lease beside another time than that of all nodes, in SQL or in a condition of Kysely. @param {ts.Node} node */
function judgesLease(node) {
  if (ts.isTemplateExpression(node)) {
    const texts = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
    return node.templateSpans.some(({ expression }, at) => {
      const [compared] = (texts[at] ?? "").split(/\s(?:<=?|>=?) $/);
      return compared !== texts[at] && LEASE.test(compared ?? "") && expression.getText() !== SHARED;
    });
  }
  if (!ts.isCallExpression(node)) return false;
  const [column, operator, value] = node.arguments;
  return (
    column !== undefined &&
    ts.isStringLiteral(column) &&
    LEASE.test(column.text) &&
    /^"[<>]=?"$/.test(operator?.getText() ?? "") &&
    value?.getText() !== SHARED
  );
}

/** @param {...((node: ts.Node) => boolean)} finders */
const any =
  (...finders) =>
  (/** @type {ts.Node} */ node) =>
    finders.some((finds) => finds(node));

/** @type {Once[]} */
export const ONCE = [
  // The gate identifies the caller of a route.
  {
    finds: any(
      reads("headers", "authorization", "IncomingHttpHeaders"),
      (node) => node.kind === ts.SyntaxKind.RegularExpressionLiteral && /Bearer|DPoP/.test(node.getText()),
      (node) =>
        ts.isStringLiteralLike(node) &&
        /[.]startsWith$/.test(ts.isCallExpression(node.parent) ? node.parent.expression.getText() : "") &&
        /^bearer/i.test(node.text),
    ),
    in: ["src/protocols/gate/", "src/protocols/client-auth/"],
    problem: "Authorization is read by protocols/gate: declare the caller of the route",
    offences: [
      "const token = request.headers.authorization",
      "const token = request.headers['authorization']",
      "const { authorization } = request.headers",
      "function tokenOf({ authorization }: IncomingHttpHeaders) {}",
      "/^Bearer (.+)/.exec(header)",
      "header.startsWith('Bearer ')",
    ],
  },
  {
    finds: calls(...["sessionToken", "csrf", "device", "language", "ownToken", "preSession"].map((name) => `cookies.${name}`)),
    in: ["src/protocols/gate/", "src/protocols/oidc/engine/", "src/signin/login/visitors.ts", "src/signin/sessions/"],
    problem: "cookies are read by the gate: take the request's visitor, actor or deviceToken",
    offences: ["cookies.sessionToken(request, realm)", "parts.cookies.device(request, realm)"],
  },
  {
    finds: reads("request", "cookies"),
    in: ["src/signin/sessions/"],
    problem: "cookies are read by the gate: take the request's visitor, actor or deviceToken",
    offences: ["const sid = request.cookies['gh_acme']"],
  },
  {
    finds: any(
      (node) => ts.isElementAccessExpression(node) && lastName(node.argumentExpression) === "CSRF_HEADER",
      (node) => isText(node, "x-xsrf-token"),
    ),
    in: ["src/protocols/gate/", "src/signin/sessions/csrf.ts"],
    problem: "the CSRF token is checked by protocols/gate: declare csrf",
    offences: ["request.headers[CSRF_HEADER]", "request.headers['x-xsrf-token']"],
  },
  {
    finds: calls("createVisitors"),
    in: ["src/app/services.ts", "src/signin/login/visitors.ts"],
    problem: "there is one createVisitors, in app/services.ts: take `visitors`",
    offences: ["const visitors = createVisitors(parts)"],
  },
  {
    finds: declares("toSignIn"),
    in: ["src/signin/login/begin.ts"],
    problem: "signin/login has toSignIn",
    offences: ["export async function toSignIn() {}", "const toSignIn = () => {}"],
  },
  {
    finds: any(declares("BearerParts"), calls("readAccessToken")),
    in: [
      "src/protocols/gate/access-token.ts",
      // These read tokens that a client asks about or exchanges, not the caller's.
      "src/protocols/token-endpoint/introspection.ts",
      "src/protocols/token-endpoint/exchange.ts",
      "src/protocols/token-endpoint/grants/uma-request.ts",
    ],
    problem: "protocols/gate reads access tokens: declare bearer({ audience })",
    offences: ["export interface BearerParts {}", "const live = await readAccessToken(parts, realm, issuer, token)"],
  },
  {
    finds: writesActor,
    in: ["src/platform/context.ts"],
    problem: "actors are made by actorOf (platform/context.ts)",
    offences: [
      "const actor = { id, name, realm, permissions: new Set<string>() }",
      "const actor = { id, name, realm, permissions, sessionId: null, impersonator: null }",
    ],
  },

  // The steps of a proof: signin/run counts, checks, holds, accepts and records.
  ...[
    {
      name: "countAttempt",
      in: ["src/signin/self-registration/confirm.routes.ts", "src/protocols/account/credentials/password.service.ts"],
      offence: "await countAttempt(parts, origin, realm, who)",
    },
    { name: "recordFailure", in: [], offence: "recordFailure(ctx, userId, attempt, 'LOGIN_FAILURE')" },
    { name: "question.answer", in: [], offence: "await ask.question.answer(at, form)" },
    {
      name: "proof.accept",
      // Questions may contain other questions.
      in: ["src/signin/authenticators/", "src/signin/required-actions/"],
      offence: "await answer.proof.accept?.(ctx)",
    },
    {
      name: "hasher.isOverloaded",
      in: ["src/protocols/account/credentials/password.service.ts"],
      offence: "if (parts.hasher.isOverloaded()) return busy",
    },
    {
      name: "hasher.verify",
      // These are a source of passwords, and the rules for changing one: history, and the user's own change.
      in: [
        "src/directory/credentials/password-sources.ts",
        "src/directory/credentials/passwords.service.ts",
        "src/protocols/account/credentials/password.service.ts",
      ],
      offence: "await hasher.verify(hash, password)",
    },
    {
      name: "holdUserForSignIn",
      // The user proves nothing in these: a link, a ticket, a device or a request for their approval begins or is prepared.
      in: [
        "src/signin/impersonation/",
        "src/signin/authenticators/challenges.service.ts",
        "src/signin/enrolled-devices/",
        "src/signin/self-service/",
        "src/protocols/transactions/service.ts",
        "src/protocols/decoupled/requests.store.ts",
      ],
      offence: "await holdUserForSignIn(ctx.tx, ctx.realm, userId)",
    },
  ].map((step) => ({
    finds: calls(step.name),
    in: ["src/signin/run/", ...step.in],
    problem: `${step.name} is called by signin/run, which counts, checks, holds and accepts every proof: drive that`,
    offences: [step.offence],
  })),

  // Tokens are made by protocols/tokens.
  {
    finds: any(
      reads("settings", "audience"),
      (node) =>
        (ts.isPropertyAccessExpression(node) && node.name.text === "allowedResources") ||
        (ts.isBindingElement(node) && (node.propertyName ?? node.name).getText() === "allowedResources"),
    ),
    in: [
      "src/applications/clients/",
      "src/protocols/tokens/contents/audience.ts",
      // The limits of an unregistered client.
      "src/protocols/registration/documents/documents.ts",
      // This carries the list from one realm to another, by the route's own function.
      "src/operations/transfer/sections/clients.ts",
    ],
    problem: "audiences are decided by protocols/tokens/contents/audience.ts: call audienceOf, resourceOf or mayAddress",
    offences: [
      "client.settings.audience.includes(resource)",
      "const { settings: { audience } } = client",
      "caller.allowedResources.includes(resource)",
      "const { allowedResources } = caller",
    ],
  },
  {
    finds: calls("metrics.tokens"),
    in: ["src/protocols/tokens/"],
    problem: "tokens are counted by countTokens (protocols/tokens)",
    offences: ["parts.metrics.tokens(realm, 2, 'password')"],
  },
  {
    finds: calls("signingKeys.signer", "keys.signer"),
    in: ["src/protocols/tokens/jwt.ts", "src/tenancy/keys/"],
    problem: "tokens are made and signed by protocols/tokens: call userTokens, clientAccessToken, signIdToken or logoutToken",
    offences: ["const signer = await signingKeys.signer(realm, alg)", "await parts.signingKeys.signer(realm, alg)"],
  },
  {
    finds: calls("signJwt"),
    in: ["src/protocols/tokens/", "src/protocols/transactions/evidence.ts"],
    problem: "the claims of a token are put together by protocols/tokens: call userTokens, clientAccessToken, signIdToken or logoutToken",
    offences: ["await signJwt(parts, alg, 'at+jwt', JSON.stringify(claims))"],
  },
  {
    finds: (node) =>
      isText(node, "RefreshToken") ||
      (ts.isPropertyAssignment(node) && node.name.getText() === "kind" && node.initializer.getText() === "REFRESH_TOKEN"),
    in: ["src/protocols/tokens/refresh-token.ts", "src/protocols/oidc/engine/adapter.ts"],
    problem: "the record of a refresh token is written by issueRefreshToken (protocols/tokens/refresh-token.ts)",
    offences: ["const payload = { kind: 'RefreshToken', iat, exp }", "const payload = { kind: REFRESH_TOKEN, iat, exp }"],
  },

  {
    finds: judgesLease,
    // Accounts that are locked, which is no lease.
    in: ["src/directory/credentials/attempts.store.ts", "src/directory/users/"],
    problem: "nodes hold work by the clock that they share, which is the database's: compare with clock.shared()",
    offences: [
      `part\`jobs.attempts > \${most} and locked_until <= \${now}\``,
      `part\`s.lease_until < \${ctx.now} limit 1\``,
      'runs.where("held_until", "<=", now)',
    ],
  },
  {
    finds: replacesConsole,
    in: ["src/protocols/oidc/engine/runtime-warning.ts"],
    problem: "console is replaced for the engine alone (engine/runtime-warning.ts)",
    offences: ["console.warn = () => {}"],
  },
];

/** @param {string} path @param {ts.Node} node @returns {string[]} */
export const secondPlaces = (path, node) =>
  ONCE.filter((rule) => !rule.in.some((place) => path.startsWith(place)) && rule.finds(node)).map(({ problem }) => problem);

/**
 * An offence against each rule, and the same code in a place where it is allowed.
 * @type {{ refused: [path: string, text: string], allowed: [path: string, text: string] }[]}
 */
export const onceSelfTests = ONCE.flatMap((rule) =>
  rule.offences.map((text) => {
    const [place = ""] = rule.in;
    return { refused: [OFFENCE_PATH, text], allowed: [place.endsWith("/") ? `${place}a.ts` : place, text] };
  }),
);
