// Runs in the browser and makes forms easier to use. Every page works without it. The file is served unchanged, so it uses no syntax that browsers with
// passkeys may lack. The server's code is checked without the browser's types, so they are taken from the global object here.
(() => {
  const { document, navigator, addEventListener, performance, print, setTimeout, Blob, URL } = /** @type {any} */ (globalThis);

  /** @typedef {any} Element */
  /** @param {string} selector @returns {Element[]} */
  const all = (selector) => Array.from(document.querySelectorAll(selector));

  // A form is sent once, because the answer to a second click would say that the code or the page is used. It can be sent again when the browser shows the page
  // anew, and after a while, because nothing tells a script that the user has stopped the request.
  /** @type {Set<Element>} */
  const sent = new Set();
  document.addEventListener("submit", (/** @type {any} */ event) => {
    const form = event.target;
    if (event.defaultPrevented) return;
    if (sent.has(form)) event.preventDefault();
    else setTimeout(() => sent.delete(form), 10000);
    sent.add(form);
  });
  addEventListener("pageshow", (/** @type {any} */ event) => event.persisted && sent.clear());

  // A button shows a password while it is typed.
  for (const button of all("[data-shows]")) {
    const input = document.getElementById(button.dataset.shows);
    button.hidden = false;
    button.addEventListener("click", () => {
      const isShown = input.type === "text";
      input.type = isShown ? "password" : "text";
      button.setAttribute("aria-pressed", String(!isShown));
      input.focus();
    });
    // The field is sent as a password again, because browsers offer to save passwords only.
    input.form.addEventListener("submit", () => {
      input.type = "password";
    });
  }

  // Ways to sign in that need scripts are shown.
  for (const way of all(".gh-others[hidden], .gh-other[hidden]")) way.hidden = false;

  // The rules for a password are marked as met while it is typed.
  for (const list of all("[data-rules]")) {
    const input = document.getElementById(list.dataset.rules);
    const kinds = { lower: /\p{Ll}/u, upper: /\p{Lu}/u, digits: /\p{Nd}/u, symbols: /[^\p{L}\p{N}]/u };
    const look = () => {
      const typed = Array.from(/** @type {string} */ (input.value));
      for (const rule of list.children) {
        const kind = kinds[/** @type {"lower"} */ (rule.dataset.rule)];
        const count = kind ? typed.filter((each) => kind.test(each)).length : typed.length;
        const isMet = count >= Number(rule.dataset.least) && typed.length <= Number(list.dataset.most);
        rule.toggleAttribute("data-met", isMet && typed.length > 0);
      }
    };
    input.addEventListener("input", look);
    look();
  }

  // A code of digits is sent when its last digit is typed.
  for (const input of all("input[data-digits]")) {
    const length = Number(input.dataset.digits);
    let isSent = false;
    input.addEventListener("input", () => {
      const digits = input.value.replace(/\D/g, "");
      if (isSent || digits.length !== length || /[^\d\s-]/.test(input.value)) return;
      isSent = true;
      if (input.form.requestSubmit) input.form.requestSubmit();
      else input.form.submit();
    });
  }

  // Another message can be requested after a while; until then the button shows the remaining seconds.
  for (const button of all("button[data-wait]")) {
    const words = button.textContent;
    const until = performance.now() + Number(button.dataset.wait) * 1000;
    const tick = () => {
      const left = Math.ceil((until - performance.now()) / 1000);
      button.disabled = left > 0;
      button.textContent = left > 0 ? `${words} (${left})` : words;
      if (left > 0) setTimeout(tick, 1000);
    };
    tick();
  }

  // Recovery codes can be copied to the clipboard, saved as a file, and printed.
  for (const tools of all("[data-codes]")) {
    const codes = all(`#${tools.dataset.codes} li`).map((each) => each.textContent.trim());
    const text = `${codes.join("\n")}\n`;
    /** @type {Record<string, (button: Element) => void>} */
    const acts = {
      copy: (button) =>
        navigator.clipboard.writeText(text).then(() => {
          button.textContent = button.dataset.done;
        }),
      download: () => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
        link.download = tools.dataset.file;
        link.click();
        URL.revokeObjectURL(link.href);
      },
      print: () => print(),
    };
    for (const button of tools.querySelectorAll("button[data-act]")) {
      const { act } = button.dataset;
      if (act === "copy" && !navigator.clipboard) continue;
      button.addEventListener("click", () => /** @type {(button: Element) => void} */ (acts[act])(button));
      button.hidden = false;
    }
    tools.hidden = false;
  }

  // A key can be copied to the clipboard.
  for (const button of all("button[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.addEventListener("click", () =>
      navigator.clipboard.writeText(button.dataset.copy).then(() => {
        button.textContent = button.dataset.done;
      }),
    );
    button.hidden = false;
  }

  // Times are shown exactly, in the time zone of the browser.
  for (const time of all("time[datetime]")) {
    const at = new Date(time.dateTime);
    time.title = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "long", timeStyle: "short" }).format(at);
  }

  // On a telephone the navigation is a strip, which is scrolled to the present page.
  const here = document.querySelector('.gh-nav [aria-current="page"]');
  const strip = here && here.closest("ul");
  if (strip && strip.scrollWidth > strip.clientWidth) strip.scrollLeft = here.offsetLeft - strip.offsetLeft - 16;
})();
