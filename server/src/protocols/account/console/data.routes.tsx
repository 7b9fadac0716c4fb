import type { FastifyReply, FastifyRequest } from "fastify";
import { loginKey } from "../../../kernel/text.ts";
import { Field, Form, loginName } from "../../../pages/index.ts";
import { field, page, route } from "../../../platform/http/index.ts";
import { accountErrors } from "../errors.ts";
import { eraseAccount } from "../profile/erasure.service.ts";
import { type ConsolePages, formOf, problemOf } from "./pages.ts";
import { Action, type FormProblem, Panel } from "./shell.tsx";

const PATH = "pages/data";

export const dataPages: ConsolePages = async (app, { pages, visitors, work, cookies }) => {
  const mayErase = ({ realm }: FastifyRequest) => realm.settings.account.erase;

  route(app, "GET", `/${PATH}`, {
    summary: "Show the page of your data",
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "data");
      const { text } = view;
      return pages.show(request, reply, {
        view,
        title: text.accountData,
        lead: text.accountDataText,
        children: (
          <>
            <Panel title={text.accountDownloadTitle} icon="data" text={text.accountDownloadText}>
              <div class="gh-panel-links">
                <a class="gh-button gh-button--plain gh-button--small" href={`${view.base}gdpr/export`} download>
                  {text.accountDownload}
                </a>
              </div>
            </Panel>
            <Panel title={text.accountDeleteTitle} icon="profile" text={mayErase(request) ? text.accountDeleteText : text.accountDeleteOff}>
              {mayErase(request) ? (
                <div class="gh-panel-links">
                  <Action href={`${view.base}${PATH}/delete`}>{text.accountDelete}</Action>
                </div>
              ) : null}
            </Panel>
          </>
        ),
      });
    },
  });

  const showDelete = async (request: FastifyRequest, reply: FastifyReply, problem?: FormProblem) => {
    if (!mayErase(request)) throw accountErrors.erase_off();
    const view = await pages.viewOf(request, reply, "data");
    const { text } = view;
    return pages.show(request, reply, {
      view,
      title: text.accountDeleteTitle,
      lead: text.accountDeleteText,
      back: { href: `${view.base}${PATH}`, label: text.accountData },
      problem,
      children: (
        <Panel>
          <Form csrf={view.csrf} action={`${view.base}${PATH}/delete`}>
            <Field
              id="username"
              label={text.accountDeleteConfirm}
              {...loginName}
              autocomplete="off"
              maxlength={255}
              error={problem?.field === "username" ? problem.text : undefined}
            />
            <button class="gh-button gh-button--danger" type="submit">
              {text.accountDelete}
            </button>
          </Form>
        </Panel>
      ),
    });
  };

  const config = { recentAuthentication: true };
  route(app, "GET", `/${PATH}/delete`, {
    config,
    summary: "Show the page that confirms the deletion of your account",
    handler: (request, reply) => showDelete(request, reply),
  });

  route(app, "POST", `/${PATH}/delete`, {
    config,
    summary: "Delete your account on the page",
    body: formOf({ username: field(1024) }, { username: "ada" }),
    response: { 200: page("Deleted"), 400: page("The entered name does not match"), 409: page("You are the last administrator") },
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "data");
      if (loginKey(request.body.username ?? "") !== loginKey(view.account))
        return showDelete(request, reply, { status: 400, field: "username", text: view.text.accountDeleteMismatch });
      try {
        await eraseAccount({ work }, request);
      } catch (error) {
        return showDelete(request, reply, problemOf(error, view));
      }
      cookies.clearSession(reply, request.realmId);
      request.visitor = { ...request.visitor, session: null };
      return visitors.showMessage(request, reply, 200, "account-deleted");
    },
  });
};
