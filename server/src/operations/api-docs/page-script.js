// Runs in the browser: starts Swagger UI on our own description, with what a signed-in browser needs to call the API.
// The server's code is checked without the browser's types, so they are taken from the global object here.
const { document, location, matchMedia, fetch, SwaggerUIBundle } = /** @type {any} */ (globalThis);

const XSRF_COOKIE = /(?:^|;\s*)XSRF-TOKEN=([^;]*)/;
const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/** @typedef {{ name?: string, in?: string, example?: string }} Parameter */
/** @typedef {{ url: string, method?: string, headers: Record<string, string> }} Request */

const dark = matchMedia("(prefers-color-scheme: dark)");
const followScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followScheme);
followScheme();

/** Read anew for each call: the server changes it when the session does. @param {Request} request */
function addCsrfToken(request) {
  const token = XSRF_COOKIE.exec(document.cookie)?.[1];
  const isOurs = new URL(request.url, location.href).origin === location.origin;
  if (token && isOurs && !READS.has((request.method ?? "GET").toUpperCase())) request.headers["X-XSRF-TOKEN"] = decodeURIComponent(token);
  return request;
}

/** The realm of the page stands in every path already. @param {any} description */
function fillInRealm(description) {
  const realm = document.body.dataset.realm;
  for (const item of Object.values(description.paths)) {
    for (const { parameters = [] } of Object.values(/** @type {Record<string, { parameters?: Parameter[] }>} */ (item))) {
      for (const parameter of parameters) if (parameter.in === "path" && parameter.name === "realm") parameter.example = realm;
    }
  }
  return description;
}

const nothing = () => () => null;

async function start() {
  const address = `/v3/api-docs?tag=${encodeURIComponent(document.body.dataset.tag)}`;
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  SwaggerUIBundle({
    spec: fillInRealm(await answer.json()),
    dom_id: "#swagger-ui",
    deepLinking: true,
    docExpansion: "list",
    filter: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: 0,
    validatorUrl: null,
    requestInterceptor: addCsrfToken,
    // The browser's session is the authorization; the dialog could only offer cookies, which scripts cannot set.
    plugins: [{ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing } }],
  });
}

start().catch((error) => {
  const notice = document.createElement("p");
  notice.className = "gh-failure";
  notice.setAttribute("role", "alert");
  notice.textContent = `The description could not be shown: ${error.message}. Reload the page to try again.`;
  document.getElementById("swagger-ui").replaceChildren(notice);
});
