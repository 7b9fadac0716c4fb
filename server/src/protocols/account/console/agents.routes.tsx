import { type Agent, attestOwnAgent, suspendOwnAgent } from "../../../applications/agents/index.ts";
import { Timed } from "../../../pages/index.ts";
import { page, redirect } from "../../../platform/http/index.ts";
import { actRoute, ById, type ConsolePages } from "./pages.ts";
import { type AccountView, Act, lastUsed, Panel, Row, Rows } from "./shell.tsx";

const PATH = "pages/applications";

/** Shows the agents that the user answers for on the page of the applications, if there are any. */
export function OwnAgents({ view, agents }: { view: AccountView; agents: readonly Omit<Agent, "version">[] }) {
  if (agents.length === 0) return null;
  const { text, locale, now } = view;
  return (
    <Panel title={text.accountAgents} text={text.accountAgentsText} icon="applications">
      <Rows>
        {agents.map(({ id, name, description, status, lastUsedAt, reviewDueAt }) => (
          <Row
            icon="applications"
            title={
              <>
                <bdi>{name}</bdi>
                {status === "ACTIVE" ? null : (
                  <span class="gh-tag">{status === "CREATED" ? text.accountAgentNew : text.accountAgentStopped}</span>
                )}
              </>
            }
            facts={[
              description !== null && <bdi>{description}</bdi>,
              lastUsed(view, lastUsedAt),
              status === "ACTIVE" && reviewDueAt !== null && (
                <Timed template={text.accountAgentReview} at={reviewDueAt} {...{ locale, now }} />
              ),
            ]}
          >
            {status === "ACTIVE" && !view.impersonation ? (
              <>
                <Act view={view} path="applications/agents/attest" values={{ id }} label={`${text.accountAgentConfirm}: ${name}`}>
                  {text.accountAgentConfirm}
                </Act>
                <Act view={view} path="applications/agents/suspend" values={{ id }} label={`${text.accountAgentSuspend}: ${name}`}>
                  {text.accountAgentSuspend}
                </Act>
              </>
            ) : null}
          </Row>
        ))}
      </Rows>
    </Panel>
  );
}

export const agentPages: ConsolePages = async (app) => {
  actRoute(app, `/${PATH}/agents/attest`, {
    summary: "Confirm on the page that one of your agents is still needed",
    body: ById,
    response: { 303: redirect("Confirmed"), 409: page("The agent is not active") },
    run: (ctx, { id = "" }) => attestOwnAgent(ctx, id),
    back: [PATH, "attested"],
  });

  actRoute(app, `/${PATH}/agents/suspend`, {
    summary: "Suspend one of your agents on the page",
    body: ById,
    response: { 303: redirect("Suspended"), 409: page("The agent is not active") },
    run: (ctx, { id = "" }) => suspendOwnAgent(ctx, id),
    back: [PATH, "suspended"],
  });
};
