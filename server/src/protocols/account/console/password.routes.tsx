import type { FastifyReply, FastifyRequest } from "fastify";
import { Field, Form, HiddenUsername, PasswordRuleList, Submit } from "../../../pages/index.ts";
import { field, page, redirect, route } from "../../../platform/http/index.ts";
import { changePassword } from "../credentials/password.service.ts";
import { backTo, type ConsolePages, formOf, problemOf } from "./pages.ts";
import { type FormProblem, Panel } from "./shell.tsx";

const PATH = "pages/password";
const PasswordForm = formOf(
  { currentPassword: field(8192), newPassword: field(8192), newPasswordAgain: field(8192) },
  { currentPassword: "the present one", newPassword: "the new one", newPasswordAgain: "the new one" },
);

export const passwordPages: ConsolePages = async (app, parts) => {
  const { pages } = parts;
  const config = { recentAuthentication: true };

  const show = async (request: FastifyRequest, reply: FastifyReply, problem?: FormProblem) => {
    const view = await pages.viewOf(request, reply, "security");
    const { text } = view;
    const errorOf = (name: string) => (problem?.field === name ? problem.text : undefined);
    return pages.show(request, reply, {
      view,
      title: text.accountPasswordTitle,
      lead: text.accountPasswordText,
      back: { href: `${view.base}pages/security`, label: text.accountSecurity },
      problem,
      children: (
        <Panel>
          <Form csrf={view.csrf} action={`${view.base}${PATH}`} id="gh-step">
            <HiddenUsername username={view.account} />
            <Field
              id="current-password"
              name="currentPassword"
              label={text.currentPassword}
              type="password"
              autocomplete="current-password"
              show={text.showPassword}
              autofocus={!problem}
              error={errorOf("currentPassword")}
            />
            <Field
              id="new-password"
              name="newPassword"
              label={text.newPassword}
              hint={<PasswordRuleList of="new-password" policy={request.realm.settings.passwordPolicy} text={text} />}
              show={text.showPassword}
              type="password"
              autocomplete="new-password"
              enterkeyhint="go"
              error={errorOf("newPassword")}
            />
            <Submit>{text.accountPasswordChange}</Submit>
          </Form>
        </Panel>
      ),
    });
  };

  route(app, "GET", `/${PATH}`, {
    config,
    summary: "Show the page to change your password",
    handler: (request, reply) => show(request, reply),
  });

  route(app, "POST", `/${PATH}`, {
    config: { ...config, limit: "account-password" },
    summary: "Change your password on the page",
    body: PasswordForm,
    response: { 303: redirect("Changed"), 400: page("The input is refused") },
    handler: async (request, reply) => {
      const { currentPassword = "", newPassword = "", newPasswordAgain } = request.body;
      const view = await pages.viewOf(request, reply, "security");
      if (newPasswordAgain !== undefined && newPasswordAgain !== newPassword)
        return show(request, reply, { status: 400, field: "newPassword", text: view.text.accountPasswordSame });
      try {
        await changePassword(parts, request, { currentPassword, newPassword });
      } catch (error) {
        return show(request, reply, problemOf(error, view));
      }
      return backTo(request, reply, "pages/security", "password");
    },
  });
};
