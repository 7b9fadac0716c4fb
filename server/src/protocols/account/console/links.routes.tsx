import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { brokerOf, markOf, providerErrors, readLink, readLinks, removeOwnLink } from "../../../federation/index.ts";
import { Filled } from "../../../pages/index.ts";
import { field, page, redirect, route } from "../../../platform/http/index.ts";
import { accountPath, seeOther } from "../../../signin/login/index.ts";
import { beginLink } from "../access/links.service.ts";
import { changeSignIn } from "../audience.ts";
import { backTo, type ConsolePages, formOf, problemOf } from "./pages.ts";
import { Action, AddedAndUsed, AskPanel, type FormProblem, Panel, Row, RowsPanel } from "./shell.tsx";

const PATH = "pages/linked-accounts";
const asked = Type.Object({ alias: field(64), lang: field(35) });

export const linkPages: ConsolePages = async (app, { pages, baseUrl, providers }) => {
  const config = { recentAuthentication: true };

  route(app, "GET", `/${PATH}`, {
    config: { impersonated: true },
    summary: "Show the page of your linked accounts",
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "links");
      const { text } = view;
      const links = await request.read((ctx) => readLinks(ctx, ctx.actor.id));
      const known = await providers.get(request.realmId);
      const isOffered = (alias: string) => {
        const provider = known?.byAlias.get(alias);
        return provider?.enabled && brokerOf(provider.protocol) && provider.config.provisioning !== "deny";
      };
      const others = (known?.buttons ?? []).filter(({ alias }) => isOffered(alias) && !links.some((link) => link.alias === alias));
      return pages.show(request, reply, {
        view,
        title: text.accountLinks,
        lead: text.accountLinksText,
        children: (
          <>
            <RowsPanel none={text.accountLinksNone}>
              {links.map(({ alias, displayName, protocol, username, subject, linkedAt, lastUsedAt, enabled }) => (
                <Row
                  picture={<Mark protocol={protocol} />}
                  title={<bdi>{displayName}</bdi>}
                  facts={[
                    <bdi>{username ?? subject}</bdi>,
                    <AddedAndUsed view={view} added={linkedAt} used={lastUsedAt} />,
                    !enabled && text.accountLinkOff,
                  ]}
                >
                  {view.impersonation ? null : (
                    <Action
                      href={`${view.base}${PATH}/unlink?${new URLSearchParams({ alias })}`}
                      label={`${text.accountUnlink}: ${displayName}`}
                    >
                      {text.accountUnlink}
                    </Action>
                  )}
                </Row>
              ))}
            </RowsPanel>
            {others.length === 0 || view.impersonation ? null : (
              <Panel title={text.accountLinkMore} icon="links">
                <div class="gh-panel-links">
                  {others.map(({ alias, displayName }) => (
                    <Action href={`${view.base}${PATH}/link?${new URLSearchParams({ alias })}`}>
                      <span>
                        <Filled template={text.accountLinkAdd} values={{ provider: displayName }} />
                      </span>
                    </Action>
                  ))}
                </div>
              </Panel>
            )}
          </>
        ),
      });
    },
  });

  route(app, "GET", `/${PATH}/link`, {
    config,
    summary: "Show the page that starts to link an account",
    querystring: asked,
    handler: async (request, reply) => {
      const { alias = "" } = request.query;
      const provider = (await providers.get(request.realmId))?.byAlias.get(alias);
      if (!provider?.enabled) throw providerErrors.not_found();
      const view = await pages.viewOf(request, reply, "links");
      const { text } = view;
      return pages.show(request, reply, {
        view,
        title: text.accountLinkAdd,
        values: { provider: provider.displayName },
        lead: <Filled template={text.linkAccountText} values={{ provider: provider.displayName }} />,
        back: { href: `${view.base}${PATH}`, label: text.accountLinks },
        children: (
          <AskPanel view={view} action={`${PATH}/link?${new URLSearchParams({ alias })}`}>
            {text.continue}
          </AskPanel>
        ),
      });
    },
  });

  route(app, "POST", `/${PATH}/link`, {
    config,
    summary: "Start to link an account on the page",
    querystring: asked,
    body: formOf({}),
    response: { 303: redirect("Redirects to the identity provider") },
    handler: async (request, reply) => {
      const returnTo = `${accountPath(request.realmId, PATH)}?done=linked`;
      const { url } = await changeSignIn(request, (ctx) =>
        beginLink(ctx, { baseUrl }, request.query.alias ?? "", { returnTo, client: null }),
      );
      return seeOther(reply, url.slice(baseUrl.length));
    },
  });

  const showUnlink = async (request: FastifyRequest, reply: FastifyReply, alias: string, problem?: FormProblem) => {
    const link = await request.read((ctx) => readLink(ctx, ctx.actor.id, alias));
    const view = await pages.viewOf(request, reply, "links");
    const { text } = view;
    return pages.show(request, reply, {
      view,
      title: text.accountUnlinkTitle,
      values: { provider: link.displayName },
      lead: text.accountUnlinkText,
      back: { href: `${view.base}${PATH}`, label: text.accountLinks },
      problem,
      children: (
        <AskPanel view={view} action={`${PATH}/unlink?${new URLSearchParams({ alias })}`}>
          {text.accountUnlink}
        </AskPanel>
      ),
    });
  };

  route(app, "GET", `/${PATH}/unlink`, {
    config,
    summary: "Show the page that confirms the unlinking of an account",
    querystring: asked,
    handler: (request, reply) => showUnlink(request, reply, request.query.alias ?? ""),
  });

  route(app, "POST", `/${PATH}/unlink`, {
    config,
    summary: "Unlink an account on the page",
    querystring: asked,
    body: formOf({}),
    response: { 303: redirect("Unlinked"), 409: page("It is the last way to sign in") },
    handler: async (request, reply) => {
      const { alias = "" } = request.query;
      try {
        await changeSignIn(request, (ctx) => removeOwnLink(ctx, alias));
      } catch (error) {
        return showUnlink(request, reply, alias, problemOf(error, await pages.viewOf(request, reply, "links")));
      }
      return backTo(request, reply, PATH, "unlinked");
    },
  });
};

/** Shows the mark of the provider's kind. */
const Mark = ({ protocol }: { protocol: string }) => {
  const mark = markOf(protocol);
  return mark ? (
    <svg class="gh-provider-mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      {mark.map(({ d, fill = "currentColor" }) => (
        <path d={d} fill={fill} />
      ))}
    </svg>
  ) : null;
};
