import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { acceptOwnInvitation, readOwnInvitations, searchOrganizationsOfUser } from "../../../directory/organizations/index.ts";
import { Filled, messagesOf, Timed } from "../../../pages/index.ts";
import { field, page, redirect } from "../../../platform/http/index.ts";
import { backTo, type Consoles, formOf, noticeOf } from "./pages.ts";
import { Act, Panel, Row, Rows, renderAccountPage } from "./shell.tsx";

const PATH = "pages/organizations";

/** Mounted under /realms/:realm/account. */
export const organizationPages: FastifyPluginAsyncTypebox<{ readonly pages: Consoles }> = async (app, { pages }) => {
  app.get(
    `/${PATH}`,
    {
      config: { impersonated: true },
      schema: { summary: "The page of your organizations", response: { 200: page("The page") } },
    },
    async (request, reply) => {
      const view = await pages.viewOf(request, reply, "organizations");
      const { locale, now } = view;
      const text = messagesOf(view);
      const { rows } = await request.read((ctx) => searchOrganizationsOfUser(ctx, ctx.actor.id, { size: 200 }));
      const invitations = await request.read(readOwnInvitations);
      const html = renderAccountPage({
        view,
        title: text.accountOrganizations,
        lead: text.accountOrganizationsText,
        notice: noticeOf(request, view),
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
            <Panel text={rows.length === 0 ? text.accountOrganizationsNone : undefined}>
              {rows.length === 0 ? null : (
                <Rows>
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
                </Rows>
              )}
            </Panel>
          </>
        ),
      });
      return pages.send(reply, view, html);
    },
  );

  app.post(
    `/${PATH}/join`,
    {
      schema: {
        summary: "Accept an invitation to your confirmed address on the page",
        consumes: ["application/x-www-form-urlencoded"],
        body: formOf({ id: field(64) }, { id: "0199a2f0-7b1e-7c3a-9d4e-5f6a7b8c9d0e" }),
        response: { 303: redirect("Joined") },
      },
    },
    async (request, reply) => {
      await request.transact((ctx) => acceptOwnInvitation(ctx, request.body.id ?? ""));
      return backTo(request, reply, PATH, "joined");
    },
  );
};
