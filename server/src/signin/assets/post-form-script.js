// Runs in the browser, on the page that hands an answer over to an application: sends its form. Without it the page has a button. The
// server's code is checked without the browser's types, so they are taken from the global object here.
(() => {
  const { document } = /** @type {any} */ (globalThis);
  document.querySelector("form[data-post]").submit();
})();
