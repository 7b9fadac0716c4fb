// Runs in the browser, on the page that signs a user out of applications. With frames (OpenID Connect Front-Channel Logout) it continues when all applications
// have answered, and shows after three seconds which have not. If the browser goes to an application (SAML single logout, by hop.js), it continues without the
// application after five seconds: if this page is still there, no answer has come. Without the script the page has links and buttons for the same. The server's
// code is checked without the browser's types, so they are taken from the global object here.
(() => {
  const { document, location, addEventListener } = /** @type {any} */ (globalThis);
  const WAIT = 3000;
  const WAIT_FOR_HOP = 5000;
  /** @type {any[]} */
  const frames = Array.from(document.querySelectorAll("iframe[data-application]"));
  const { next, stays } = document.querySelector("[data-signing-out]").dataset;
  let isOver = false;

  if (document.querySelector("[data-hop]")) {
    const passOver = () => location.replace(next);
    setTimeout(passOver, WAIT_FOR_HOP);
    // The user came back from an application that did not answer, and the browser had kept this page.
    addEventListener("pageshow", (/** @type {any} */ event) => event.persisted && passOver());
    return;
  }

  /** Tells whether the frame has no answer yet: until then it contains a blank page of our origin, which our script may read. @param {any} frame */
  const isUnanswered = (frame) => frame.contentDocument !== null;

  const finish = () => {
    if (isOver) return;
    isOver = true;
    const unanswered = frames.filter(isUnanswered);
    for (const frame of unanswered) document.getElementById(frame.dataset.application).hidden = false;
    if (unanswered.length === 0 && stays === undefined) location.replace(next);
  };

  // The page counts as loaded when all of its frames are.
  if (document.readyState === "complete") finish();
  else addEventListener("load", finish);
  setTimeout(finish, WAIT);
})();
