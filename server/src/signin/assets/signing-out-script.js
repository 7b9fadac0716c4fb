// Runs in the browser, on the page that signs somebody out of their applications by frames (OpenID Connect Front-Channel Logout): goes
// on when all have answered, and says after three seconds which have not. Without it the page has a link to go on. The server's code is
// checked without the browser's types, so they are taken from the global object here.
(() => {
  const { document, location, addEventListener } = /** @type {any} */ (globalThis);
  const WAIT = 3000;
  /** @type {any[]} */
  const frames = Array.from(document.querySelectorAll("iframe[data-application]"));
  const { next } = document.querySelector("[data-signing-out]").dataset;
  let isOver = false;

  /** Until it has got an answer it holds a blank page of ours, which a script of ours may read. @param {any} frame */
  const isUnanswered = (frame) => frame.contentDocument !== null;

  const finish = () => {
    if (isOver) return;
    isOver = true;
    const unanswered = frames.filter(isUnanswered);
    for (const frame of unanswered) document.getElementById(frame.dataset.application).hidden = false;
    if (unanswered.length === 0) location.replace(next);
  };

  // The page has loaded when all of its frames have.
  if (document.readyState === "complete") finish();
  else addEventListener("load", finish);
  setTimeout(finish, WAIT);
})();
