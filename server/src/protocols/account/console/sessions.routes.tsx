import { browserName, Filled, Timed } from "../../../pages/index.ts";
import { redirect, route } from "../../../platform/http/index.ts";
import { endOtherOwnSessions, endOwnSession } from "../../../signin/sessions/index.ts";
import { readSessions } from "../access/places.service.ts";
import { actRoute, ById, type ConsolePages, formOf } from "./pages.ts";
import { Act, BrowserTitle, Panel, Row, Rows } from "./shell.tsx";

const PATH = "pages/sessions";

export const sessionPages: ConsolePages = async (app, { pages, places }) => {
  route(app, "GET", `/${PATH}`, {
    config: { impersonated: true },
    summary: "Show the page of your sessions",
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "sessions");
      const { text, locale, now } = view;
      const sessions = await request.read(readSessions);
      // The current session comes first, because people look for the others below it.
      const sorted = sessions.toSorted((one, other) => Number(other.current) - Number(one.current));
      return pages.show(request, reply, {
        view,
        title: text.accountSessions,
        lead: text.accountSessionsText,
        children: (
          <>
            <Panel>
              <Rows>
                {sorted.map(({ id, userAgent, sourceIp, createdAt, lastSeenAt, current }) => {
                  const name = userAgent ? browserName(userAgent) : text.accountUnknownBrowser;
                  return (
                    <Row
                      icon={/iPhone|Android|iPad/.test(name) ? "phone" : "sessions"}
                      title={<BrowserTitle text={text} name={name} current={current} />}
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
    },
  });

  actRoute(app, `/${PATH}/end`, {
    summary: "End one of your sessions on the page",
    body: ById,
    response: { 303: redirect("Ended") },
    run: (ctx, { id = "" }) => endOwnSession(ctx, id),
    back: [PATH, "session"],
  });

  actRoute(app, `/${PATH}/end-others`, {
    summary: "End all your other sessions on the page",
    body: formOf({}),
    response: { 303: redirect("Ended") },
    run: endOtherOwnSessions,
    back: [PATH, "others"],
  });
};
