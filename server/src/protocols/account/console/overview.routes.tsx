import { readOwnInvitations } from "../../../directory/organizations/index.ts";
import { readCredentials } from "../../../directory/users/index.ts";
import { brandName, brandOf, countedText, Filled, linkTarget, Timed } from "../../../pages/index.ts";
import { redirect, route } from "../../../platform/http/index.ts";
import { accountPath, seeOther } from "../../../signin/login/index.ts";
import { secondFactors } from "../../../signin/sessions/index.ts";
import { readApplications, samlStartOf } from "../access/applications.service.ts";
import { readSessions } from "../access/places.service.ts";
import { readProfile } from "../profile/profile.service.ts";
import { ApplicationMark, applicationName } from "./applications.routes.tsx";
import type { ConsolePages } from "./pages.ts";
import { Action, Panel } from "./shell.tsx";

const SHOWN = 6;

export const overviewPages: ConsolePages = async (app, { pages, baseUrl }) => {
  route(app, "GET", "/", {
    config: { impersonated: true },
    prefixTrailingSlash: "no-slash",
    summary: "Redirect to the page of your account",
    response: { 303: redirect("Redirects to the page") },
    handler: async (request, reply) => seeOther(reply, accountPath(request.realmId)),
  });

  route(app, "GET", "/", {
    config: { impersonated: true },
    prefixTrailingSlash: "slash",
    operationId: "accountOverviewPage",
    summary: "Show the page of your account",
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "overview");
      const { locale, now, impersonation } = view;
      const { text } = view;
      const credentials = impersonation ? [] : await request.read((ctx) => readCredentials(ctx, ctx.actor.id));
      const sessions = await request.read(readSessions);
      const profile = await request.read(readProfile);
      const saml = samlStartOf(baseUrl, request.realm);
      const applications = await request.read((ctx) => readApplications(ctx, saml, { openable: true, size: SHOWN }));
      const [invitation] = await request.read(readOwnInvitations);
      const isStrong = credentials.some(({ type }) => secondFactors.includes(type));
      const password = credentials.find(({ type }) => type === "password");
      const name = [profile.firstName, profile.lastName].filter(Boolean).join(" ") || profile.username;
      return pages.show(request, reply, {
        view,
        logos: applications.rows.map(({ logoUri }) => logoUri),
        title: text.accountHelloTitle,
        values: { account: name },
        lead: <Filled template={text.accountHelloText} values={{ name: brandName(brandOf(view)) }} />,
        children: (
          <>
            {invitation === undefined ? null : (
              <Panel
                title={text.accountInvitations}
                icon="organizations"
                text={<Filled template={text.accountInvited} values={{ organization: invitation.organization.name }} />}
                action={<Action href={`${view.base}pages/organizations`}>{text.accountSeeInvitation}</Action>}
              />
            )}
            {applications.rows.length === 0 ? null : (
              <Panel
                title={text.accountYourApps}
                icon="applications"
                action={<Action href={`${view.base}pages/applications`}>{text.accountAllApps}</Action>}
              >
                <ul class="gh-tiles">
                  {applications.rows.map((application) => (
                    <li>
                      <a class="gh-tile" href={linkTarget(application.link ?? undefined) ?? "#"}>
                        <ApplicationMark {...application} />
                        <bdi>{applicationName(application)}</bdi>
                      </a>
                    </li>
                  ))}
                </ul>
              </Panel>
            )}
            <div class="gh-grid">
              {impersonation ? null : (
                <Panel title={text.accountCheckTitle} icon="security" text={isStrong ? text.accountCheckGood : text.accountCheckWeak}>
                  <p class="gh-panel-text">
                    {password ? (
                      <Timed template={text.accountPasswordSince} at={password.createdAt} {...{ locale, now }} />
                    ) : (
                      text.accountNoPassword
                    )}
                  </p>
                  <div class="gh-panel-links">
                    <Action href={`${view.base}pages/security`}>{isStrong ? text.accountManage : text.accountCheckAdd}</Action>
                    {password ? <Action href={`${view.base}pages/password`}>{text.accountPasswordChange}</Action> : null}
                  </div>
                </Panel>
              )}
              <Panel
                title={text.accountSessions}
                icon="sessions"
                text={sessions.length > 1 ? countedText(locale, text.accountSignedInOn, sessions.length) : text.accountSignedInOnOne}
              >
                <div class="gh-panel-links">
                  <Action href={`${view.base}pages/sessions`}>{text.accountReviewSessions}</Action>
                  {impersonation ? null : <Action href={`${view.base}pages/activity`}>{text.accountReviewActivity}</Action>}
                </div>
              </Panel>
              <Panel title={text.accountProfile} icon="profile" text={<bdi>{profile.email ?? profile.username}</bdi>}>
                <div class="gh-panel-links">
                  <Action href={`${view.base}pages/profile`} label={`${text.accountManage}: ${text.accountProfile}`}>
                    {text.accountManage}
                  </Action>
                </div>
              </Panel>
              {impersonation ? null : (
                <Panel title={text.accountData} icon="data" text={text.accountDataText}>
                  <div class="gh-panel-links">
                    <Action href={`${view.base}pages/data`} label={`${text.accountManage}: ${text.accountData}`}>
                      {text.accountManage}
                    </Action>
                  </div>
                </Panel>
              )}
            </div>
          </>
        ),
      });
    },
  });
};
