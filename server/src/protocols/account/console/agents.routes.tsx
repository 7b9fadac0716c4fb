import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { type Agent, attestOwnAgent, suspendOwnAgent } from "../../../applications/agents/index.ts";
import { messagesOf, Timed } from "../../../pages/index.ts";
import { field, page, redirect } from "../../../platform/http/index.ts";
import { backTo, formOf } from "./pages.ts";
import { type AccountView, Act, Panel, Row, Rows } from "./shell.tsx";

const PATH = "pages/applications";
const consumes = ["application/x-www-form-urlencoded"];
const body = formOf({ id: field(64) }, { id: "0199a2f0-7b1e-7c3a-9d4e-5f6a7b8c9d0e" });

/** The agents that the user answers for, on the page of the applications; nothing for those who have none. */
export function OwnAgents({ view, agents }: { view: AccountView; agents: readonly Omit<Agent, "version">[] }) {
  if (agents.length === 0) return null;
  const text = messagesOf(view);
  const { locale, now } = view;
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
              <>
                {lastUsedAt === null ? text.accountNeverUsed : <Timed template={text.accountUsed} at={lastUsedAt} {...{ locale, now }} />}
              </>,
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

/** Mounted under /realms/:realm/account. */
export const agentPages: FastifyPluginAsyncTypebox = async (app) => {
  app.post(
    `/${PATH}/agents/attest`,
    {
      schema: {
        summary: "Confirm on the page that one of your agents is still needed",
        consumes,
        body,
        response: { 303: redirect("Confirmed"), 409: page("It is not active") },
      },
    },
    async (request, reply) => {
      await request.transact((ctx) => attestOwnAgent(ctx, request.body.id ?? ""));
      return backTo(request, reply, PATH, "attested");
    },
  );

  app.post(
    `/${PATH}/agents/suspend`,
    {
      schema: {
        summary: "Suspend one of your agents on the page",
        consumes,
        body,
        response: { 303: redirect("Suspended"), 409: page("It is not active") },
      },
    },
    async (request, reply) => {
      await request.transact((ctx) => suspendOwnAgent(ctx, request.body.id ?? ""));
      return backTo(request, reply, PATH, "suspended");
    },
  );
};
