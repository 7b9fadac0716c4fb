import { render } from "preact-render-to-string";
import type { Assets } from "./assets.ts";

export interface DocsPageView {
  readonly assets: Assets;
  readonly realm: string;
  /** Null if the visitor is not signed in to the realm. */
  readonly username: string | null;
  readonly signInUrl: string;
  /** The parts of the description. `tag` is the part that is shown, or null for the list of all. */
  readonly parts: readonly { readonly name: string; readonly description: string; readonly href: string }[];
  readonly tag: string | null;
  readonly home: string;
}

/**
 * Renders the page. Swagger UI fills `#swagger-ui` with the operations of one tag, because all of them are a megabyte and take seconds. Everything
 * around it is rendered here, so that the page says what it is before any script has run.
 */
export const renderDocsPage = ({ assets, realm, username, signInUrl, parts, tag, home }: DocsPageView): string =>
  `<!doctype html>${render(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>API · Gatehouse</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" type="image/svg+xml" href="/favicon.svg" />
        {tag === null ? null : <link rel="stylesheet" href={assets["swagger-ui.css"].href} />}
        <link rel="stylesheet" href={assets["page.css"].href} />
        {tag === null ? null : <script src={assets["swagger-ui-bundle.js"].href} defer />}
        {tag === null ? null : <script src={assets["page.js"].href} type="module" />}
      </head>
      <body data-realm={realm} data-tag={tag ?? undefined}>
        <a class="gh-skip" href="#swagger-ui">
          Skip to the operations
        </a>
        <header class="gh-bar">
          <h1 class="gh-brand">
            <img src="/favicon.svg" alt="" width="28" height="28" />
            Gatehouse API
          </h1>
          <p class="gh-visitor">
            {username === null ? (
              <>
                Not signed in to <b>{realm}</b>: you can read, but not call the admin API. <a href={signInUrl}>Sign in</a>
              </>
            ) : (
              <>
                Signed in to <b>{realm}</b> as <b>{username}</b>: calls from this page are real.{" "}
                <a href={`/realms/${realm}/logout`}>Sign out</a>
              </>
            )}
          </p>
          <p>
            <a href="/v3/api-docs">OpenAPI document</a>
          </p>
        </header>
        {tag === null ? (
          <main id="swagger-ui" class="gh-parts" tabIndex={-1}>
            <h2>What would you like to do?</h2>
            <ul>
              {parts.map(({ name, description, href }) => (
                <li>
                  <a href={href}>{name}</a>
                  <p>{description.replaceAll("`", "")}</p>
                </li>
              ))}
            </ul>
          </main>
        ) : (
          <>
            <nav class="gh-tags" aria-label="Parts of the API">
              <a href={home}>All parts</a>
              {parts.map(({ name, href }) => (
                <a href={href} aria-current={name === tag ? "page" : undefined}>
                  {name}
                </a>
              ))}
            </nav>
            {/* This is no main element: Swagger UI brings its own, and a page has one. */}
            <div id="swagger-ui" tabIndex={-1}>
              <p class="gh-failure" role="status">
                Loading the operations of {tag} …
              </p>
              <noscript>
                This page needs scripts. The same description is at <a href="/v3/api-docs">/v3/api-docs</a>.
              </noscript>
            </div>
          </>
        )}
      </body>
    </html>,
  )}`;
