// Runs in the browser: passes a passkey's challenge to the device, and sends the device's answer with the form around it. The file is served unchanged, so it
// uses no syntax that browsers with WebAuthn may lack. The server's code is checked without the browser's types, so they are taken from the global object here.
(() => {
  const { document, navigator, atob, btoa, AbortController, PublicKeyCredential } = /** @type {any} */ (globalThis);

  /** @typedef {any} Element */

  const isSupported = Boolean(PublicKeyCredential && navigator.credentials);
  /** The ceremony that is running: the browser allows one at a time. @type {any} */
  let waiting = null;

  /** @param {string} text in base64url */
  const toBytes = (text) => {
    const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
    return Uint8Array.from(binary, (/** @type {string} */ char) => char.charCodeAt(0));
  };
  /** @param {ArrayBuffer | null | undefined} buffer */
  const toText = (buffer) =>
    buffer
      ? btoa(String.fromCharCode.apply(null, Array.from(new Uint8Array(buffer))))
          .replace(/\+/g, "-")
          .replace(/\//g, "_")
          .replace(/=+$/, "")
      : undefined;

  /** Decodes the challenge and all ids, because the browser takes them as bytes. @param {any} options */
  const asBytes = (options) => {
    const withBytes = (/** @type {any} */ each) => Object.assign({}, each, { id: toBytes(each.id) });
    const made = Object.assign({}, options, { challenge: toBytes(options.challenge) });
    if (options.user) made.user = withBytes(options.user);
    if (options.allowCredentials) made.allowCredentials = options.allowCredentials.map(withBytes);
    if (options.excludeCredentials) made.excludeCredentials = options.excludeCredentials.map(withBytes);
    return made;
  };

  /** @param {any} credential */
  const asText = (credential) => {
    const { response } = credential;
    return JSON.stringify({
      id: credential.id,
      rawId: toText(credential.rawId),
      type: credential.type,
      response: {
        clientDataJSON: toText(response.clientDataJSON),
        attestationObject: toText(response.attestationObject),
        transports: response.getTransports ? response.getTransports() : undefined,
        authenticatorData: toText(response.authenticatorData),
        signature: toText(response.signature),
        userHandle: toText(response.userHandle),
      },
    });
  };

  /** @param {Element} block @param {any} error */
  const explain = (block, error) => {
    const { dataset } = block;
    const says = block.querySelector("[data-says]");
    const known = { NotAllowedError: dataset.cancelled, InvalidStateError: dataset.taken };
    says.textContent = known[/** @type {"NotAllowedError"} */ (error.name)] || dataset.failed;
    says.hidden = false;
  };

  /** @param {Element} block @param {any} credential */
  const send = (block, credential) => {
    const form = block.closest("form");
    form.elements.credential.value = asText(credential);
    // On the page with name and password, the checkbox to stay signed in is in the other form.
    const kept = document.querySelector("#gh-step [name=rememberMe]:checked");
    if (kept && !form.contains(kept)) {
      const input = document.createElement("input");
      Object.assign(input, { type: "hidden", name: "rememberMe", value: "true" });
      form.append(input);
    }
    // Unlike `submit`, this fires the event by which forms-script.js sends a form once.
    if (form.requestSubmit) form.requestSubmit();
    else form.submit();
    // The answer is on its way. If the page is shown again, Enter asks anew.
    form.elements.credential.value = "";
  };

  /** @param {Element} block @param {{ mediation?: string }} how */
  const ask = (block, how) => {
    if (waiting) waiting.abort();
    const turn = new AbortController();
    waiting = turn;
    const { passkey, options } = block.dataset;
    const asked = Object.assign({ publicKey: asBytes(JSON.parse(options)) }, how, { signal: turn.signal });
    return (passkey === "create" ? navigator.credentials.create(asked) : navigator.credentials.get(asked)).then(
      (/** @type {any} */ credential) => send(block, credential),
      (/** @type {any} */ error) => {
        // The ceremony made room for another one, or it was only offered beside the name and not used.
        if (turn.signal.aborted || how.mediation) return;
        explain(block, error);
        offer(block);
      },
    );
  };

  /** Offers passkeys among the suggestions of the field for the name. @param {Element} block */
  const offer = (block) => {
    if (block.dataset.passkey !== "get" || !document.querySelector('[autocomplete~="webauthn"]')) return;
    if (!PublicKeyCredential.isConditionalMediationAvailable) return;
    PublicKeyCredential.isConditionalMediationAvailable().then((/** @type {boolean} */ can) => {
      if (can) ask(block, { mediation: "conditional" });
    });
  };

  for (const said of document.querySelectorAll("[data-without-scripts]")) said.remove();
  for (const block of document.querySelectorAll("[data-passkey]")) {
    const button = block.querySelector("[data-start]");
    const form = block.closest("form");
    const isBeside = form.id !== "gh-step";
    if (isSupported) {
      button.addEventListener("click", () => ask(block, {}));
      button.hidden = false;
    } else if (!isBeside) {
      const says = block.querySelector("[data-says]");
      says.textContent = block.dataset.unsupported;
      says.hidden = false;
    }
    if (isBeside && isSupported) {
      form.hidden = false;
      // This choice leads to the same ceremony by another page, so it is removed.
      const choice = document.querySelector(`.gh-other [name=choose][value="${form.elements.step.value}"]`);
      if (choice) {
        const section = choice.closest(".gh-others");
        choice.closest(".gh-other").remove();
        if (!section.querySelector(".gh-other")) section.remove();
      }
    }
    // Enter in a field of the form presses the button.
    if (!isBeside)
      form.addEventListener("submit", (/** @type {any} */ event) => {
        if (form.elements.credential.value !== "") return;
        event.preventDefault();
        if (isSupported) ask(block, {});
      });
    if (isSupported) offer(block);
  }
})();
