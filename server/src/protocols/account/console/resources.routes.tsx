import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import {
  allowRequest,
  type OwnerRequest,
  type OwnResource,
  readOwnResource,
  readOwnResources,
  readRequests,
  readSharedResources,
  refuseRequest,
  type SharedResource,
  shareResource,
  unshareResource,
} from "../../../applications/authorization/index.ts";
import { AppError, invalidFields } from "../../../kernel/errors.ts";
import { Field, Filled, Form, Submit, Timed } from "../../../pages/index.ts";
import type { ReadCtx } from "../../../platform/context.ts";
import { field, page, redirect, route } from "../../../platform/http/index.ts";
import { actRoute, ById, backTo, type ConsolePages, formOf, problemOf } from "./pages.ts";
import { type AccountView, Act, Action, type FormProblem, Panel, Row, Rows } from "./shell.tsx";

const PATH = "pages/applications";
/** The greatest number of resources on the page. The API lists all. */
const SIZE = 100;

interface Shares {
  readonly requests: readonly OwnerRequest[];
  readonly own: readonly OwnResource[];
  readonly shared: readonly SharedResource[];
}

/** Reads what the user shares at applications with authorization services, and what others share with the user. */
export async function readShares(ctx: ReadCtx): Promise<Shares> {
  const [own, shared] = [await readOwnResources(ctx, { size: SIZE }), await readSharedResources(ctx, { size: SIZE })];
  return { own: own.rows, shared: shared.rows, requests: own.rows.length === 0 ? [] : await readRequests(ctx) };
}

type Named = Pick<OwnResource, "name" | "displayName" | "clientName" | "clientId" | "scopes">;
const nameOf = ({ displayName, name }: Pick<Named, "name" | "displayName">): string => displayName ?? name;
const factsOf = ({ clientName, clientId, scopes }: Named) => [
  <bdi>{clientName ?? clientId}</bdi>,
  scopes.length > 0 && <bdi>{scopes.join(", ")}</bdi>,
];

/** Shows them on the page of the applications, if there are any. */
export function OwnShares({ view, shares: { requests, own, shared } }: { view: AccountView; shares: Shares }) {
  const { text } = view;
  return (
    <>
      {requests.length === 0 ? null : (
        <Panel title={text.accountShareAskedLabel} icon="applications">
          <Rows>
            {requests.map((request) => (
              <Asked view={view} {...request} />
            ))}
          </Rows>
        </Panel>
      )}
      {own.length === 0 ? null : (
        <Panel title={text.accountShares} text={text.accountSharesText} icon="applications">
          <Rows>
            {own.map((resource) => (
              <Row icon="applications" title={<bdi>{nameOf(resource)}</bdi>} facts={factsOf(resource)}>
                {view.impersonation ? null : (
                  <Action
                    href={`${view.base}${PATH}/shares?${new URLSearchParams({ id: resource.resourceId })}`}
                    label={`${text.accountManage}: ${nameOf(resource)}`}
                  >
                    {text.accountManage}
                  </Action>
                )}
              </Row>
            ))}
          </Rows>
        </Panel>
      )}
      {shared.length === 0 ? null : (
        <Panel title={text.accountSharedWithYou} icon="applications">
          <Rows>
            {shared.map((resource) => (
              <Row icon="applications" title={<bdi>{nameOf(resource)}</bdi>} facts={[<bdi>{resource.owner}</bdi>, ...factsOf(resource)]} />
            ))}
          </Rows>
        </Panel>
      )}
    </>
  );
}

/** Shows a request, with the buttons that answer it. */
function Asked({ view, user, userId, resourceId, name, clientName, scopes, createdAt }: OwnerRequest & { readonly view: AccountView }) {
  const { text, locale, now } = view;
  const values = { id: resourceId, user: userId };
  return (
    <Row
      icon="profile"
      title={<Filled template={text.accountShareAsked} values={{ account: user, resource: name }} />}
      facts={[
        ...factsOf({ name, displayName: null, clientName, clientId: clientName, scopes }),
        <Timed template="{time}" at={createdAt} {...{ locale, now }} />,
      ]}
    >
      {view.impersonation ? null : (
        <>
          <Act view={view} path="applications/requests/allow" values={values} label={`${text.consentAllow}: ${user}, ${name}`}>
            {text.consentAllow}
          </Act>
          <Act view={view} path="applications/requests/refuse" values={values} label={`${text.consentDeny}: ${user}, ${name}`}>
            {text.consentDeny}
          </Act>
        </>
      )}
    </Row>
  );
}

export const resourcePages: ConsolePages = async (app, { pages }) => {
  const asked = Type.Object({ id: field(64), done: field(16), lang: field(35) });
  const requested = formOf({ id: field(64), user: field(64) }, { id: "0199a2f0-7b1e-7c3a-9d4e-5f6a7b8c9d0e" });
  const back = `${PATH}/shares`;

  const show = async (request: FastifyRequest, reply: FastifyReply, id: string, problem?: FormProblem, typed = "") => {
    const resource = await request.read((ctx) => readOwnResource(ctx, id));
    const view = await pages.viewOf(request, reply, "applications");
    const { text } = view;
    const query = new URLSearchParams({ id });
    return pages.show(request, reply, {
      view,
      title: text.accountShareWith,
      values: { resource: nameOf(resource) },
      lead: <bdi>{resource.clientName ?? resource.clientId}</bdi>,
      back: { href: `${view.base}${PATH}`, label: text.accountApplications },
      problem,
      children: (
        <>
          {resource.shares.length === 0 ? (
            <Panel text={text.accountSharesNone} />
          ) : (
            <Panel>
              <Rows>
                {resource.shares.map(({ shareId, user, scopes }) => (
                  <Row icon="profile" title={<bdi>{user}</bdi>} facts={[scopes.length > 0 && <bdi>{scopes.join(", ")}</bdi>]}>
                    <Act
                      view={view}
                      path={`applications/unshare?${query}`}
                      values={{ id: shareId }}
                      label={`${text.accountShareStop}: ${user}`}
                    >
                      {text.accountShareStop}
                    </Act>
                  </Row>
                ))}
              </Rows>
            </Panel>
          )}
          <Panel>
            <Form csrf={view.csrf} action={`${view.base}${back}?${query}`}>
              <Field
                id="user"
                label={text.username}
                type="text"
                dir="auto"
                autocomplete="off"
                value={typed}
                maxlength={320}
                error={problem?.field === "user" ? problem.text : undefined}
              />
              {resource.scopes.length === 0 ? null : (
                // biome-ignore lint/a11y/useSemanticElements: a fieldset would draw a frame
                <div class="gh-field" role="group" aria-labelledby="scopes-label">
                  <span class="gh-label" id="scopes-label">
                    {text.accountShareMay}
                  </span>
                  {resource.scopes.map((scope, place) => (
                    <label class="gh-check">
                      <input type="checkbox" name={`scope.${place}`} value={scope} checked />
                      <bdi>{scope}</bdi>
                    </label>
                  ))}
                </div>
              )}
              <Submit>{text.accountShareAdd}</Submit>
            </Form>
          </Panel>
        </>
      ),
    });
  };

  route(app, "GET", `/${back}`, {
    summary: "Show the page on which you share a resource",
    querystring: asked,
    handler: (request, reply) => show(request, reply, request.query.id ?? ""),
  });

  route(app, "POST", `/${back}`, {
    config: { limit: "account-shares" },
    summary: "Share a resource on the page",
    querystring: asked,
    body: Type.Object(
      { _csrf: field(512), user: field(320) },
      {
        additionalProperties: Type.String({ maxLength: 255 }),
        description: "Each scope is a member of its own, such as `scope.0`",
        examples: [{ _csrf: "the value of the cookie XSRF-TOKEN", user: "grace", "scope.0": "view" }],
      },
    ),
    response: { 303: redirect("Shared"), 400: page("Nobody else is named") },
    handler: async (request, reply) => {
      const { id = "" } = request.query;
      const { user = "" } = request.body;
      const scopes = Object.entries(request.body).flatMap(([name, scope]) => (name.startsWith("scope.") ? [String(scope)] : []));
      try {
        await request.transact(async (ctx) => {
          const { scopes: all } = await readOwnResource(ctx, id);
          // Without any, the API shares all of them, which a person who has ticked none does not mean.
          if (all.length > 0 && scopes.length === 0)
            throw invalidFields([{ field: "scopes", code: "required", message: "Name what is shared" }]);
          await shareResource(ctx, id, { user, ...(scopes.length > 0 && { scopes }) });
        });
      } catch (error) {
        const view = await pages.viewOf(request, reply, "applications");
        const wrong = error instanceof AppError ? error.errors?.[0] : undefined;
        if (wrong?.code === "owner")
          return show(request, reply, id, { status: 400, field: "user", text: view.text.accountShareSelf }, user);
        const problem = wrong ? { status: 400, field: null, text: view.text.profileInvalidTitle } : problemOf(error, view);
        return show(request, reply, id, problem, user);
      }
      return backTo(request, reply, `${back}?${new URLSearchParams({ id })}`, "shared");
    },
  });

  route(app, "POST", `/${PATH}/unshare`, {
    summary: "Stop sharing a resource with a user on the page",
    querystring: asked,
    body: ById,
    response: { 303: redirect("No longer shared") },
    handler: async (request, reply) => {
      const { id = "" } = request.query;
      await request.transact((ctx) => unshareResource(ctx, id, request.body.id ?? ""));
      return backTo(request, reply, `${back}?${new URLSearchParams({ id })}`, "unshared");
    },
  });

  actRoute(app, `/${PATH}/requests/allow`, {
    summary: "Allow a user's request for a resource on the page",
    body: requested,
    response: { 303: redirect("Allowed") },
    run: (ctx, { id = "", user = "" }) => allowRequest(ctx, id, user),
    back: [PATH, "allowed"],
  });

  actRoute(app, `/${PATH}/requests/refuse`, {
    summary: "Refuse a user's request for a resource on the page",
    body: requested,
    response: { 303: redirect("Refused") },
    run: (ctx, { id = "", user = "" }) => refuseRequest(ctx, id, user),
    back: [PATH, "refused"],
  });
};
