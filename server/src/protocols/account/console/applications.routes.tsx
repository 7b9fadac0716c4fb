import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { readOwnAgents } from "../../../applications/agents/index.ts";
import { samlClientName } from "../../../applications/saml-clients/index.ts";
import { linkTarget, logoOf, type Messages, Submit, scopeWords, Timed } from "../../../pages/index.ts";
import { field, redirect, route } from "../../../platform/http/index.ts";
import type { AccountApplication } from "../access/access.schema.ts";
import { readApplications, removeApplication, samlStartOf } from "../access/applications.service.ts";
import { accountErrors } from "../errors.ts";
import { OwnAgents } from "./agents.routes.tsx";
import { Icon } from "./icons.tsx";
import { actRoute, type ConsolePages, formOf } from "./pages.ts";
import { OwnShares, readShares } from "./resources.routes.tsx";
import { Action, AskPanel, Row, RowsPanel } from "./shell.tsx";

const PATH = "pages/applications";
const SIZE = 50;

/** Returns a name that people know. An entity id is shown only if there is no other name. */
export const applicationName = ({ name, clientId }: Pick<AccountApplication, "name" | "clientId">): string =>
  name ?? (clientId.includes("|") ? samlClientName({ entityId: clientId.replace(/^[^|]*\|/, "") }) : clientId);

/** Shows the application's logo, or a general sign. */
export const ApplicationMark = ({ logoUri }: Pick<AccountApplication, "logoUri">) => {
  const logo = logoOf(logoUri);
  return logo ? <img class="gh-row-logo" src={logo.src} alt="" referrerpolicy="no-referrer" /> : <Icon name="applications" />;
};

/** Returns the page number, from 0. Any other text means the first page. */
const pageNumber = (asked: string | undefined): number => (asked !== undefined && /^[1-9]\d{0,1}$/.test(asked) ? Number(asked) : 0);

const hasAccess = ({ consentedAt, active }: Pick<AccountApplication, "consentedAt" | "active">) => active || consentedAt !== null;

export const applicationPages: ConsolePages = async (app, { pages, baseUrl, scopes }) => {
  const find = async (request: FastifyRequest, query: { search?: string; page?: number }) =>
    request.read((ctx) => readApplications(ctx, samlStartOf(baseUrl, request.realm), { size: SIZE, ...query }));

  const wordsOf = async (realm: string, text: Messages) => {
    const known = await scopes.get(realm);
    return (name: string) => scopeWords({ name, text: known?.byName.get(name)?.consentText ?? null }, text);
  };

  route(app, "GET", `/${PATH}`, {
    config: { impersonated: true },
    summary: "Show the page of your applications",
    querystring: Type.Object({ search: field(255), page: field(8), done: field(16), lang: field(35) }),
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "applications");
      const { text, locale, now } = view;
      const { search = "" } = request.query;
      const at = pageNumber(request.query.page);
      const { rows, total, nextCursor } = await find(request, { ...(search && { search }), page: at });
      const words = await wordsOf(request.realmId, text);
      const isFirst = at === 0 && search === "";
      const agents = isFirst ? await request.read(readOwnAgents) : [];
      const shares = isFirst ? await request.read(readShares) : null;
      return pages.show(request, reply, {
        view,
        logos: rows.map(({ logoUri }) => logoUri),
        title: text.accountApplications,
        lead: text.accountApplicationsText,
        children: (
          <>
            {search === "" && total <= SIZE ? null : (
              <form class="gh-search" method="get" action={`${view.base}${PATH}`}>
                <label class="gh-hidden" for="search">
                  {text.accountSearchApps}
                </label>
                <input
                  class="gh-input"
                  id="search"
                  name="search"
                  type="search"
                  value={search}
                  placeholder={text.accountSearchApps}
                  maxLength={255}
                />
                <Submit look="plain">{text.accountSearch}</Submit>
              </form>
            )}
            <RowsPanel none={text.accountAppsNone}>
              {rows.map((application) => {
                const name = applicationName(application);
                const link = linkTarget(application.link ?? undefined);
                return (
                  <Row
                    picture={<ApplicationMark {...application} />}
                    title={<bdi>{name}</bdi>}
                    facts={[
                      application.consentedAt !== null && (
                        <Timed template={text.accountAppSince} at={application.consentedAt} {...{ locale, now }} />
                      ),
                      application.active && (application.offline ? text.accountAppOffline : text.accountAppActive),
                      hasAccess(application) && application.scopes.length > 0 && (
                        <details>
                          <summary>{text.accountAppMay}</summary>
                          <ul>
                            {application.scopes.map((scope) => (
                              <li>{words(scope)}</li>
                            ))}
                          </ul>
                        </details>
                      ),
                    ]}
                  >
                    {link ? (
                      <Action href={link} label={text.accountOpenApp.replace("{client}", () => name)}>
                        {text.accountOpen}
                      </Action>
                    ) : null}
                    {hasAccess(application) && !view.impersonation ? (
                      <Action
                        href={`${view.base}${PATH}/remove?${new URLSearchParams({ client: application.clientId })}`}
                        label={`${text.accountRevoke}: ${name}`}
                      >
                        {text.accountRevoke}
                      </Action>
                    ) : null}
                  </Row>
                );
              })}
            </RowsPanel>
            {nextCursor !== null ? (
              <Action href={`${view.base}${PATH}?${new URLSearchParams({ ...(search && { search }), page: String(at + 1) })}`}>
                {text.accountMore}
              </Action>
            ) : null}
            <OwnAgents view={view} agents={agents} />
            {shares && <OwnShares view={view} shares={shares} />}
          </>
        ),
      });
    },
  });

  // The client is in the form's address, too, so that a sign-in in between returns to the page with it.
  const asked = Type.Object({ client: field(512), lang: field(35) });
  route(app, "GET", `/${PATH}/remove`, {
    summary: "Show the page that confirms the end of an application's access",
    querystring: asked,
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "applications");
      const { text } = view;
      const { client = "" } = request.query;
      const { rows } = await find(request, { search: client });
      const found = rows.find((each) => each.clientId === client && hasAccess(each));
      if (!found) throw accountErrors.application_not_found();
      return pages.show(request, reply, {
        view,
        title: text.accountRevokeTitle,
        values: { client: applicationName(found) },
        lead: text.accountRevokeText,
        back: { href: `${view.base}${PATH}`, label: text.accountApplications },
        children: (
          <AskPanel view={view} action={`${PATH}/remove?${new URLSearchParams({ client })}`}>
            {text.accountRevoke}
          </AskPanel>
        ),
      });
    },
  });

  actRoute(app, `/${PATH}/remove`, {
    summary: "End an application's access on the page",
    querystring: asked,
    body: formOf({}),
    response: { 303: redirect("Ended") },
    run: (ctx, _form, { client = "" }) => removeApplication(ctx, client),
    back: [PATH, "revoked"],
  });
};
