// Runs in the browser, on a page that leads to an application: it submits the page's form or follows its link. Without it the page has a button. The server's
// code is checked without the browser's types, so they are taken from the global object here.
(() => {
  const { document, location } = /** @type {any} */ (globalThis);
  const hop = document.querySelector("[data-hop]");
  if (!hop.method) location.assign(hop.href);
  // Unlike `submit`, this tells forms.js that the form is sent.
  else if (hop.requestSubmit) hop.requestSubmit();
  else hop.submit();
})();
