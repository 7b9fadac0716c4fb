// Runs in the browser, on the page that signs a user out of applications. By frames (OpenID Connect Front-Channel Logout): it goes on when
// all have answered, and says after three seconds which have not. By going there (SAML single logout), which hop.js
// does: it goes on without the application if no answer has come after five seconds, because until then this page is still there. Without the script the page has
// links and buttons for the same. The server's code is checked without the browser's types, so they are taken from the global object here.
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
    // Back from an application that kept the browser: this page may have been kept, too.
    addEventListener("pageshow", (/** @type {any} */ event) => event.persisted && passOver());
    return;
  }

  /** Until it has got an answer it holds a blank page of ours, which a script of ours may read. @param {any} frame */
  const isUnanswered = (frame) => frame.contentDocument !== null;

  const finish = () => {
    if (isOver) return;
    isOver = true;
    const unanswered = frames.filter(isUnanswered);
    for (const frame of unanswered) document.getElementById(frame.dataset.application).hidden = false;
    if (unanswered.length === 0 && stays === undefined) location.replace(next);
  };

  // The page has loaded when all of its frames have.
  if (document.readyState === "complete") finish();
  else addEventListener("load", finish);
  setTimeout(finish, WAIT);
})();
