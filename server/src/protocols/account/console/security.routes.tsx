import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { credentialErrors } from "../../../directory/credentials/index.ts";
import { type Credential, readCredentials, revokeOwnCredential } from "../../../directory/users/index.ts";
import { Field, Form, Submit } from "../../../pages/index.ts";
import { field, page, redirect, route } from "../../../platform/http/index.ts";
import { forgetBrowser } from "../../../signin/known-browsers/index.ts";
import { cleanLabel } from "../../../signin/passkeys/index.ts";
import { secondFactors } from "../../../signin/sessions/index.ts";
import { readBrowsers } from "../access/places.service.ts";
import { changeSignIn } from "../audience.ts";
import { renameOwnPasskey } from "../credentials/passkeys.service.ts";
import { actRoute, ById, backTo, type ConsolePages, formOf, problemOf } from "./pages.ts";
import { credentialName, securityPage } from "./security.tsx";
import { AskPanel, type FormProblem, Panel } from "./shell.tsx";

const PATH = "pages/security";

/** Tells whether a credential protects the account beside the password. */
const isSecond = ({ type, turnedOffAt }: Credential) => secondFactors.includes(type) && turnedOffAt === undefined;

export const securityPages: ConsolePages = async (app, { pages, messages }) => {
  route(app, "GET", `/${PATH}`, {
    summary: "Show the page of your credentials",
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "security");
      const credentials = await request.read((ctx) => readCredentials(ctx, ctx.actor.id));
      const browsers = await request.read((ctx) => readBrowsers(ctx, request.visitor.deviceToken));
      const canPush = await request.read(({ tx, realm }) => messages.canSend(tx, realm, "PUSH"));
      return pages.show(request, reply, securityPage({ view, credentials, browsers, canPush }));
    },
  });

  const findCredential = async (request: FastifyRequest, type: string, id: string) => {
    const all = await request.read((ctx) => readCredentials(ctx, ctx.actor.id));
    const found = all.find((each) => each.type === type && each.id === id);
    if (!found) throw credentialErrors.not_found();
    return { credential: found, others: all.filter((each) => each !== found) };
  };

  // A key is in its form's address, so that a sign-in in between returns to the page with it.
  const removed = Type.Object({ type: field(64), id: field(64), lang: field(35) });
  const renamed = Type.Object({ id: field(64), lang: field(35) });

  const showRemove = async (request: FastifyRequest, reply: FastifyReply, asked: Type.Static<typeof removed>, problem?: FormProblem) => {
    const { type = "", id = "" } = asked;
    const view = await pages.viewOf(request, reply, "security");
    const { text } = view;
    const { credential, others } = await findCredential(request, type, id);
    return pages.show(request, reply, {
      view,
      title: text.accountRemoveTitle,
      values: { credential: credentialName(credential, text) },
      lead: text.accountRemoveText,
      back: { href: `${view.base}${PATH}`, label: text.accountSecurity },
      problem,
      children: (
        <AskPanel
          view={view}
          action={`${PATH}/remove?${new URLSearchParams({ type, id })}`}
          {...(isSecond(credential) && !others.some(isSecond) && { text: text.accountRemoveLast })}
        >
          {text.accountRemove}
        </AskPanel>
      ),
    });
  };

  const removing = { recentAuthentication: true };
  route(app, "GET", `/${PATH}/remove`, {
    config: removing,
    summary: "Show the page that confirms the removal of a credential",
    querystring: removed,
    handler: (request, reply) => showRemove(request, reply, request.query),
  });

  route(app, "POST", `/${PATH}/remove`, {
    config: removing,
    summary: "Remove one of your credentials on the page",
    querystring: removed,
    body: formOf({}),
    response: { 303: redirect("Removed"), 409: page("It is the last credential with which you can sign in") },
    handler: async (request, reply) => {
      const { type = "", id = "" } = request.query;
      const { history } = request.realm.settings.passwordPolicy;
      try {
        await changeSignIn(request, (ctx) => revokeOwnCredential(ctx, type, id, history));
      } catch (error) {
        return showRemove(request, reply, request.query, problemOf(error, await pages.viewOf(request, reply, "security")));
      }
      return backTo(request, reply, PATH, "removed");
    },
  });

  route(app, "GET", `/${PATH}/rename`, {
    summary: "Show the page to rename a passkey",
    querystring: renamed,
    handler: async (request, reply) => {
      const { id = "" } = request.query;
      const view = await pages.viewOf(request, reply, "security");
      const { text } = view;
      const { credential } = await findCredential(request, "passkey", id);
      return pages.show(request, reply, {
        view,
        title: text.accountRenameTitle,
        values: { credential: credentialName(credential, text) },
        back: { href: `${view.base}${PATH}`, label: text.accountSecurity },
        children: (
          <Panel>
            <Form csrf={view.csrf} action={`${view.base}${PATH}/rename?${new URLSearchParams({ id })}`}>
              <Field
                id="label"
                label={text.accountName}
                type="text"
                dir="auto"
                autocomplete="off"
                value={credential.label ?? ""}
                maxlength={255}
                autofocus
              />
              <Submit>{text.accountSave}</Submit>
            </Form>
          </Panel>
        ),
      });
    },
  });

  actRoute(app, `/${PATH}/rename`, {
    summary: "Rename one of your passkeys on the page",
    querystring: renamed,
    body: formOf({ label: field(255) }, { label: "work laptop" }),
    response: { 303: redirect("Renamed") },
    run: (ctx, { label = "" }, { id = "" }) => renameOwnPasskey(ctx, id, cleanLabel(label)),
    back: [PATH, "saved"],
  });

  actRoute(app, `/${PATH}/browsers/forget`, {
    summary: "Stop trusting a browser on the page",
    body: ById,
    response: { 303: redirect("Forgotten") },
    run: (ctx, { id = "" }) => forgetBrowser(ctx, id),
    back: [PATH, "browser"],
  });
};
