import { acceptOwnInvitation, readOwnInvitations, searchOrganizationsOfUser } from "../../../directory/organizations/index.ts";
import { Filled, Timed } from "../../../pages/index.ts";
import { redirect, route } from "../../../platform/http/index.ts";
import { actRoute, ById, type ConsolePages } from "./pages.ts";
import { Act, Panel, Row, Rows, RowsPanel } from "./shell.tsx";

const PATH = "pages/organizations";

export const organizationPages: ConsolePages = async (app, { pages }) => {
  route(app, "GET", `/${PATH}`, {
    config: { impersonated: true },
    summary: "Show the page of your organizations",
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "organizations");
      const { text, locale, now } = view;
      const { rows } = await request.read((ctx) => searchOrganizationsOfUser(ctx, ctx.actor.id, { size: 200 }));
      const invitations = await request.read(readOwnInvitations);
      return pages.show(request, reply, {
        view,
        title: text.accountOrganizations,
        lead: text.accountOrganizationsText,
        children: (
          <>
            {invitations.length === 0 ? null : (
              <Panel title={text.accountInvitations} icon="organizations">
                <Rows>
                  {invitations.map(({ invitationId, organization, role, inviter, expiresAt }) => (
                    <Row
                      title={<bdi>{organization.name}</bdi>}
                      facts={[
                        <Filled template={text.accountRole} values={{ role }} />,
                        inviter !== null && <Filled template={text.accountInvitedBy} values={{ inviter }} />,
                        <Timed template={text.accountInvitationUntil} at={expiresAt} {...{ locale, now }} />,
                      ]}
                    >
                      {view.impersonation ? null : (
                        <Act view={view} path="organizations/join" values={{ id: invitationId }}>
                          <span>
                            <Filled template={text.accountJoin} values={{ organization: organization.name }} />
                          </span>
                        </Act>
                      )}
                    </Row>
                  ))}
                </Rows>
              </Panel>
            )}
            <RowsPanel none={text.accountOrganizationsNone}>
              {rows.map(({ name, displayName, role, joinedAt }) => (
                <Row
                  icon="organizations"
                  title={<bdi>{displayName ?? name}</bdi>}
                  facts={[
                    <>
                      <Filled template={text.accountRole} values={{ role }} /> ·{" "}
                      <Timed template={text.accountJoined} at={joinedAt} {...{ locale, now }} />
                    </>,
                  ]}
                />
              ))}
            </RowsPanel>
          </>
        ),
      });
    },
  });

  actRoute(app, `/${PATH}/join`, {
    summary: "Accept an invitation to your confirmed address on the page",
    body: ById,
    response: { 303: redirect("Joined") },
    run: (ctx, { id = "" }) => acceptOwnInvitation(ctx, id),
    back: [PATH, "joined"],
  });
};
