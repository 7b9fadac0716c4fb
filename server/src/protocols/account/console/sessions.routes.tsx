import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { browserName, Filled, messagesOf, Timed } from "../../../pages/index.ts";
import { field, page, redirect } from "../../../platform/http/index.ts";
import type { Places } from "../../../platform/places.ts";
import { endOtherOwnSessions, endOwnSession } from "../../../signin/sessions/index.ts";
import { readSessions } from "../access/places.service.ts";
import { backTo, type Consoles, formOf, noticeOf } from "./pages.ts";
import { Act, Panel, Row, Rows, renderAccountPage } from "./shell.tsx";

const PATH = "pages/sessions";
const consumes = ["application/x-www-form-urlencoded"];

/** Mounted under /realms/:realm/account. */
export const sessionPages: FastifyPluginAsyncTypebox<{ readonly pages: Consoles; readonly places: Places }> = async (
  app,
  { pages, places },
) => {
  app.get(
    `/${PATH}`,
    {
      config: { impersonated: true },
      schema: { summary: "The page of your sessions", response: { 200: page("The page") } },
    },
    async (request, reply) => {
      const view = await pages.viewOf(request, reply, "sessions");
      const { locale, now } = view;
      const text = messagesOf(view);
      const sessions = await request.read(readSessions);
      // The present one first: that is where people look for the others.
      const sorted = sessions.toSorted((one, other) => Number(other.current) - Number(one.current));
      const html = renderAccountPage({
        view,
        title: text.accountSessions,
        lead: text.accountSessionsText,
        notice: noticeOf(request, view),
        children: (
          <>
            <Panel>
              <Rows>
                {sorted.map(({ id, userAgent, sourceIp, createdAt, lastSeenAt, current }) => {
                  const name = userAgent ? browserName(userAgent) : text.accountUnknownBrowser;
                  return (
                    <Row
                      icon={/iPhone|Android|iPad/.test(name) ? "phone" : "sessions"}
                      title={
                        <>
                          {name}
                          {current ? <span class="gh-tag">{text.accountThisBrowser}</span> : null}
                        </>
                      }
                      facts={[
                        <>
                          <Timed template={text.accountSeen} at={lastSeenAt} {...{ locale, now }} /> ·{" "}
                          <Timed template={text.accountSignedIn} at={createdAt} {...{ locale, now }} />
                        </>,
                        sourceIp && <Filled template={text.accountFromAddress} values={{ address: places.beside(sourceIp, locale) }} />,
                      ]}
                    >
                      {current || view.impersonation ? null : (
                        <Act
                          view={view}
                          path="sessions/end"
                          values={{ id }}
                          label={text.accountEndSessionOf.replace("{browser}", () => name)}
                        >
                          {text.accountEndSession}
                        </Act>
                      )}
                    </Row>
                  );
                })}
              </Rows>
            </Panel>
            {sessions.length > 1 && !view.impersonation ? (
              <Panel title={text.accountEndOthers} text={text.accountEndOthersText} icon="security">
                <div class="gh-panel-links">
                  <Act view={view} path="sessions/end-others">
                    {text.accountEndOthers}
                  </Act>
                </div>
              </Panel>
            ) : null}
          </>
        ),
      });
      return pages.send(reply, view, html);
    },
  );

  app.post(
    `/${PATH}/end`,
    {
      schema: {
        summary: "End one of your sessions on the page",
        consumes,
        body: formOf({ id: field(64) }, { id: "0199a2f0-7b1e-7c3a-9d4e-5f6a7b8c9d0e" }),
        response: { 303: redirect("Ended") },
      },
    },
    async (request, reply) => {
      await request.transact((ctx) => endOwnSession(ctx, request.body.id ?? ""));
      return backTo(request, reply, PATH, "session");
    },
  );

  app.post(
    `/${PATH}/end-others`,
    {
      schema: {
        summary: "Sign out everywhere else on the page",
        consumes,
        body: formOf({}),
        response: { 303: redirect("Ended") },
      },
    },
    async (request, reply) => {
      await request.transact(endOtherOwnSessions);
      return backTo(request, reply, PATH, "others");
    },
  );
};
