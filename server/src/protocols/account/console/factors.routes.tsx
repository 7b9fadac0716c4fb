import type { FastifyReply, FastifyRequest } from "fastify";
import { createOwnEnrollmentToken, createOwnRecoveryCodes } from "../../../directory/users/index.ts";
import { AppError } from "../../../kernel/errors.ts";
import { CodeList, CreatePasskey, Field, Form, NameField, Submit } from "../../../pages/index.ts";
import { field, page, redirect, route } from "../../../platform/http/index.ts";
import { cleanLabel, creationOptions } from "../../../signin/passkeys/index.ts";
import { changeSignIn } from "../audience.ts";
import { addOwnPasskey, ownRegistration } from "../credentials/passkeys.service.ts";
import { confirmOwnTotp, openOwnTotp, pictureOf, startOwnTotp, type TotpSetUp } from "../credentials/totp.service.ts";
import { backTo, type ConsolePages, formOf, problemOf } from "./pages.ts";
import { type AccountView, AskPanel, type FormProblem, Panel } from "./shell.tsx";

const PATH = "pages/security";

/** Serves the pages of the factors that people add to sign in by. All of them ask for recent authentication. */
export const factorPages: ConsolePages = async (app, parts) => {
  const { pages } = parts;
  const config = { recentAuthentication: true };
  const backOf = (view: AccountView) => ({ href: `${view.base}${PATH}`, label: view.text.accountSecurity });

  /** Shows the codes once, in the response to the request that made them. They are not stored in readable form. */
  const showCodes = async (request: FastifyRequest, reply: FastifyReply, codes: readonly string[]) => {
    const view = await pages.viewOf(request, reply, "security");
    const { text } = view;
    return pages.show(request, reply, {
      view: { ...view, languages: [] },
      title: text.accountCodesShownTitle,
      lead: text.accountCodesShownText,
      children: (
        <Panel>
          <CodeList text={text} title={text.accountCodesShownTitle} codes={codes} />
          <p class="gh-panel-links">
            <a class="gh-button gh-button--primary gh-button--small" href={`${view.base}${PATH}`}>
              {text.accountCodesDone}
            </a>
          </p>
        </Panel>
      ),
    });
  };

  const showPasskey = async (request: FastifyRequest, reply: FastifyReply, problem?: FormProblem, label = "") => {
    const view = await pages.viewOf(request, reply, "security");
    const { text } = view;
    const options = JSON.stringify(await creationOptions(parts, await ownRegistration(request)));
    return pages.show(request, reply, {
      view,
      title: text.accountPasskeyAdd,
      lead: text.passkeySetUpText,
      back: backOf(view),
      problem,
      scripts: ["passkey.js"],
      children: (
        <Panel>
          <Form csrf={view.csrf} action={`${view.base}${PATH}/passkey`} id="gh-step">
            <CreatePasskey text={text} options={options} label={label} />
          </Form>
        </Panel>
      ),
    });
  };

  route(app, "GET", `/${PATH}/passkey`, {
    config,
    summary: "Show the page to add a passkey",
    handler: (request, reply) => showPasskey(request, reply),
  });

  route(app, "POST", `/${PATH}/passkey`, {
    config,
    summary: "Add a passkey on the page",
    body: formOf({ credential: field(32_768), label: field(255) }, { credential: "{}", label: "work laptop" }),
    response: {
      200: page("Your first recovery codes"),
      303: redirect("Added"),
      400: page("The credential of the browser cannot be used"),
    },
    handler: async (request, reply) => {
      const { credential = "", label = "" } = request.body;
      const added = await addOwnPasskey(parts, request, await ownRegistration(request), credential, cleanLabel(label)).catch(
        async (error: unknown) => problemOf(error, await pages.viewOf(request, reply, "security")),
      );
      if ("status" in added) return showPasskey(request, reply, added, label);
      return added.codes ? showCodes(request, reply, added.codes) : backTo(request, reply, PATH, "passkey");
    },
  });

  const showApp = async (request: FastifyRequest, reply: FastifyReply, problem?: FormProblem, kept?: TotpSetUp | null, label = "") => {
    const view = await pages.viewOf(request, reply, "security");
    const { text } = view;
    const begun = kept ?? (await startOwnTotp(parts, request));
    return pages.show(request, reply, {
      view,
      title: text.accountAppAdd,
      lead: text.accountAppScan,
      back: backOf(view),
      problem,
      children: (
        <Panel>
          <div class="gh-app-setup">
            <img class="gh-qr" src={begun.qrCode} alt={text.totpPicture} width="208" height="208" />
            <div class="gh-form">
              <p class="gh-hint">{text.accountAppKey}</p>
              <p class="gh-code gh-key" translate={false}>
                {(begun.secret.match(/.{1,4}/g) ?? []).join(" ")}
              </p>
              <p class="gh-tools">
                <a class="gh-link" href={begun.uri}>
                  {text.accountAppOpen}
                </a>
                <button class="gh-link" type="button" data-copy={begun.secret} data-done={text.codesCopied} aria-live="polite" hidden>
                  {text.totpCopyKey}
                </button>
              </p>
            </div>
          </div>
          <Form csrf={view.csrf} action={`${view.base}${PATH}/app`} id="gh-step" values={{ setup: begun.setup }}>
            <Field
              id="code"
              label={text.totpFirstCode}
              type="text"
              code
              inputmode="numeric"
              autocomplete="one-time-code"
              data-digits={String(request.realm.settings.totp.digits)}
              maxlength={32}
              error={problem?.field === "code" ? problem.text : undefined}
            />
            <NameField label={text.totpLabel} hint={text.totpLabelHint} maxlength={100} value={label} />
            <Submit>{text.accountSave}</Submit>
          </Form>
        </Panel>
      ),
    });
  };

  route(app, "GET", `/${PATH}/app`, {
    config,
    summary: "Show the page to add an authenticator app",
    handler: (request, reply) => showApp(request, reply),
  });

  route(app, "POST", `/${PATH}/app`, {
    config,
    summary: "Add an authenticator app on the page",
    body: formOf({ setup: field(64), code: field(64), label: field(255) }, { setup: "kTz0", code: "492039", label: "my phone" }),
    response: {
      200: page("Your first recovery codes"),
      303: redirect("Added"),
      400: page("The code is wrong"),
    },
    handler: async (request, reply) => {
      const { setup = "", code = "", label = "" } = request.body;
      const added = await confirmOwnTotp(parts, request, { setup, code, label: cleanLabel(label) }).catch(async (error: unknown) => {
        const view = await pages.viewOf(request, reply, "security");
        const text = view.text.accountAppWrong;
        const isWrong = error instanceof AppError && error.errors?.some(({ field: name }) => name === "code");
        return isWrong ? { status: 400, field: "code", text } : problemOf(error, view);
      });
      if (!("status" in added)) return added.codes ? showCodes(request, reply, added.codes) : backTo(request, reply, PATH, "app");
      // The page shows the same secret again, because the app has it already.
      const kept = added.field === "code" ? await openOwnTotp(parts, request, setup) : null;
      return showApp(request, reply, added, kept, label);
    },
  });

  route(app, "GET", `/${PATH}/recovery-codes`, {
    config,
    summary: "Show the page to get new recovery codes",
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "security");
      const { text } = view;
      return pages.show(request, reply, {
        view,
        title: text.accountCodesTitle,
        lead: text.accountCodesText,
        back: backOf(view),
        children: (
          <AskPanel view={view} action={`${PATH}/recovery-codes`} text={text.accountCodesReplace}>
            {text.accountCodesMake}
          </AskPanel>
        ),
      });
    },
  });

  route(app, "POST", `/${PATH}/recovery-codes`, {
    config,
    summary: "Get new recovery codes on the page",
    body: formOf({}),
    response: { 200: page("The codes") },
    handler: async (request, reply) => showCodes(request, reply, (await changeSignIn(request, createOwnRecoveryCodes)).codes),
  });

  const showPhone = async (request: FastifyRequest, reply: FastifyReply, token: string | null) => {
    const view = await pages.viewOf(request, reply, "security");
    const { text } = view;
    return pages.show(request, reply, {
      view,
      title: text.accountPhoneTitle,
      lead: token === null ? text.accountPhoneMakeText : text.accountPhoneCodeText,
      back: backOf(view),
      children:
        token === null ? (
          <AskPanel view={view} action={`${PATH}/phone`}>
            {text.accountPhoneMake}
          </AskPanel>
        ) : (
          <Panel>
            <img class="gh-qr" src={pictureOf(token)} alt={text.accountPhonePicture} width="208" height="208" />
            <p class="gh-code gh-key" translate={false}>
              {token}
            </p>
          </Panel>
        ),
    });
  };

  route(app, "GET", `/${PATH}/phone`, {
    config,
    summary: "Show the page to add a phone",
    handler: (request, reply) => showPhone(request, reply, null),
  });

  route(app, "POST", `/${PATH}/phone`, {
    config,
    summary: "Get an enrollment token on the page",
    body: formOf({}),
    response: { 200: page("The token") },
    handler: async (request, reply) => {
      const { token } = await changeSignIn(request, (ctx) => createOwnEnrollmentToken(ctx, { type: "enrollment-token" }));
      return showPhone(request, reply, token);
    },
  });
};
