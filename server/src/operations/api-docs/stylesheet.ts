/** Additions to Swagger UI's own style sheet: our bar, our colours, contrast and focus. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --gh-page: #f7f8fb; --gh-card: #ffffff; --gh-line: #dfe3ea; --gh-text: #14171f; --gh-muted: #565e6e; --gh-accent: #3e49c3;
}
@media (prefers-color-scheme: dark) {
  :root { --gh-page: #101218; --gh-card: #181b22; --gh-line: #343a47; --gh-text: #f2f4f8; --gh-muted: #a9b1c0; --gh-accent: #aab2ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--gh-page); color: var(--gh-text); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--gh-accent); }
:focus-visible { outline: 3px solid var(--gh-accent); outline-offset: 2px; }
.gh-skip { position: absolute; left: -100rem; }
.gh-skip:focus { left: 1rem; top: .5rem; z-index: 10; padding: .5rem 1rem; background: var(--gh-card); border-radius: .5rem; }
.gh-bar {
  display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.5rem; padding: .75rem clamp(1rem, 4vw, 2.5rem);
  background: var(--gh-card); border-bottom: 1px solid var(--gh-line);
}
.gh-bar p, .gh-brand { margin: 0; }
.gh-brand { display: flex; align-items: center; gap: .6rem; font-weight: 650; font-size: 1.1rem; }
.gh-visitor { flex: 1 1 20rem; color: var(--gh-muted); overflow-wrap: anywhere; }
.gh-visitor b { color: var(--gh-text); font-weight: 600; }
.gh-failure, noscript { display: block; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
.gh-parts { max-width: 70rem; margin: 0 auto; padding: 1rem clamp(1rem, 4vw, 2.5rem); }
.gh-parts ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1rem; margin: 0; padding: 0; list-style: none; }
.gh-parts li { padding: 1rem; background: var(--gh-card); border: 1px solid var(--gh-line); border-radius: .6rem; }
.gh-parts li a { font-weight: 600; }
.gh-parts li p { margin: .25rem 0 0; color: var(--gh-muted); }
.gh-tags { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: .75rem clamp(1rem, 4vw, 2.5rem); border-bottom: 1px solid var(--gh-line); }
.gh-tags a[aria-current] { color: var(--gh-text); font-weight: 600; text-decoration: none; }
#swagger-ui:focus { outline: none; }
html.dark-mode, html.dark-mode body { background: var(--gh-page); }
.swagger-ui, .swagger-ui .info .title, .swagger-ui .opblock-tag, .swagger-ui .opblock .opblock-summary-description { font-family: inherit; }
.swagger-ui .info { margin: 2rem 0 1rem; }
.swagger-ui .info a, .swagger-ui a.nostyle:focus-visible { color: var(--gh-accent); }
.swagger-ui .opblock-tag small, .swagger-ui .opblock .opblock-summary-description { color: var(--gh-muted); }
/* Swagger UI's own fills are too pale for the white text on them. */
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1766c0; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #17774a; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #9a5200; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f766e; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #c02626; }
.swagger-ui .info .title small { background: #565e6e; }
.swagger-ui .info .title small.version-stamp { background: #4d7c0f; }
.swagger-ui .info .title small pre, .swagger-ui .btn.execute { color: #fff; }
.swagger-ui .btn.execute { background: #1766c0; border-color: #1766c0; }
html:not(.dark-mode) .swagger-ui :is(.markdown, .renderedMarkdown) code { color: #5b21b6; }
html:not(.dark-mode) .swagger-ui :is(.parameter__in, .parameter__extension, .response-control-media-type__accept-message) { color: #565e6e; }
html:not(.dark-mode) .swagger-ui :is(.btn.cancel, .parameter__name.required span) { color: #a61b1b; border-color: #a61b1b; }
.swagger-ui .scheme-container, .swagger-ui .auth-wrapper { display: none; }
`;
