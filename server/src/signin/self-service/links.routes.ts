import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Clients } from "../../applications/clients/index.ts";
import { holdUserForSignIn, userErrors } from "../../directory/users/index.ts";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { safeEqual, sha256 } from "../../kernel/vault.ts";
import { anonymousActor, type Ctx } from "../../platform/context.ts";
import { declare, field, link as linkCaller, page, redirect, route } from "../../platform/http/index.ts";
import { requestSource, type UnitOfWork } from "../../platform/unit-of-work.ts";
import { type ActionToken, findToken, type TokenKind, takeToken } from "../action-tokens/index.ts";
import { confirmMailed, RESET_PATH, type ResetLink } from "../authenticators/index.ts";
import type { Flows } from "../flows/index.ts";
import { type Exchange, homePath, loginPath, type PageParts, seeOther, type Visitor } from "../login/index.ts";
import { CHANGE_EMAIL_PATH, followChangeEmail, VERIFY_EMAIL_PATH } from "../required-actions/index.ts";
import { type Interaction, readInteraction, startInteraction } from "../run/index.ts";
import { ACTIONS_KIND, ACTIONS_PATH, type ActionsLink, followActionsLink, isDestination } from "./actions-email.service.ts";
import { type LinkPage, showLink } from "./link-page.tsx";
import { callbacksOf } from "./start.ts";

interface MailLinkRouteParts extends PageParts {
  readonly clients: Clients;
  readonly flows: Flows;
  readonly work: UnitOfWork;
}

const params = Type.Object({ realm: Type.String(), token: Type.String() });
const querystring = Type.Object({ lang: field(35) });
const body = Type.Object({ _csrf: field(512) }, { examples: [{ _csrf: "the value of the cookie XSRF-TOKEN" }] });
const goneResponse = { 410: page("The link was used or replaced, or has expired") };

interface Visit extends Exchange {
  readonly visitor: Visitor;
  readonly token: string;
}

const confirmingPage = { title: "verifyEmailTitle", lead: "verifyEmailLinkText", button: "verifyEmailLink" } as const;

/** The behaviour of one kind of link. */
interface MailLink {
  readonly kind: TokenKind;
  readonly path: string;
  readonly summary: string;
  /** Its part of the names in the API's description. */
  readonly operation: string;
  readonly page: Pick<LinkPage, "title" | "lead" | "button"> & { values(token: ActionToken): Record<string, string> };
  /** After the button. */
  follow(visit: Visit): Promise<FastifyReply>;
}

/** Mounted under /realms/:realm. The pages behind the links of our mails. */
export const mailLinkRoutes: FastifyPluginAsyncTypebox<MailLinkRouteParts> = async (app, parts) => {
  const { db, work, visitors } = parts;
  declare(app, { tags: ["Sign-in"], caller: linkCaller(), csrf: "sign-in-form", errors: "page" });

  const originOf = ({ request, visitor: { realm } }: Visit) => ({
    ...{ realm: realm.realmId, actor: anonymousActor(realm.realmId, ""), ...requestSource(request) },
  });
  const showGone = ({ request, reply }: Exchange) => visitors.showMessageBeforeSignIn(request, reply, 410, "link-gone");
  const showConfirmed = ({ request, reply }: Exchange) => visitors.showMessageBeforeSignIn(request, reply, 200, "email-confirmed");
  const showTaken = ({ request, reply }: Exchange) => visitors.showMessageBeforeSignIn(request, reply, 409, "email-taken");

  const links: readonly MailLink[] = [
    {
      kind: "verify-email",
      path: VERIFY_EMAIL_PATH,
      summary: "Confirm an email address",
      operation: "VerifyEmail",
      page: { ...confirmingPage, values: ({ data }) => ({ address: String(data.email) }) },
      async follow(visit) {
        const confirmed = await work.transact(originOf(visit), async (ctx) =>
          confirmMailed(ctx, await takeToken(ctx, "verify-email", visit.token)),
        );
        return confirmed ? showConfirmed(visit) : showGone(visit);
      },
    },
    {
      kind: "change-email",
      path: CHANGE_EMAIL_PATH,
      summary: "Confirm a new email address",
      operation: "ChangeEmail",
      page: { ...confirmingPage, values: ({ data }) => ({ address: String(data.to) }) },
      async follow(visit) {
        const { changeEmail } = visit.visitor.realm.settings.account;
        try {
          const changed = changeEmail && (await work.transact(originOf(visit), (ctx) => followChangeEmail(ctx, visit.token)));
          return changed ? showConfirmed(visit) : showGone(visit);
        } catch (error) {
          // Another user has the address by now. The link was sent to that mailbox, so this reveals it to nobody else.
          if (error instanceof AppError && error.code === userErrors.login_name_taken().code) return showTaken(visit);
          throw error;
        }
      },
    },
    {
      kind: "reset-password",
      path: RESET_PATH,
      summary: "Reset a password through the mailed link",
      operation: "ResetPassword",
      page: {
        ...{ title: "newPasswordTitle", lead: "resetLinkText", button: "continue" },
        values: ({ data }) => ({ account: String((data as unknown as ResetLink).username) }),
      },
      async follow(visit) {
        const { realm } = visit.visitor;
        if (!realm.settings.passwordReset.enabled) return showGone(visit);
        const asked = await askedHere(visit);
        const id = await work.transact(originOf(visit), (ctx) => goOnResetting(ctx, visit, asked));
        return id === null ? showGone(visit) : seeOther(visit.reply, loginPath(realm.realmId, id));
      },
    },
    {
      kind: ACTIONS_KIND,
      path: ACTIONS_PATH,
      summary: "Start the actions that an administrator requested",
      operation: "AccountActions",
      page: {
        ...{ title: "actionsLinkTitle", lead: "actionsLinkText", button: "continue" },
        values: ({ data }) => ({ account: String((data as unknown as ActionsLink).username) }),
      },
      async follow(visit) {
        const { realmId } = visit.visitor.realm;
        const destination = await destinationOf(visit);
        const flow = (await parts.flows.get(realmId))!.byAlias.get("reset-credentials")!;
        const { token, visitor } = visit;
        const id = await work.transact(originOf(visit), (ctx) =>
          followActionsLink(ctx, {
            ...{ token, flow, preSession: visitor.preSession },
            returnTo: destination ?? `/realms/${realmId}/${ACTIONS_PATH}/done`,
            callbacks: destination === null ? [] : [destination],
          }),
        );
        return id === null ? showGone(visit) : seeOther(visit.reply, loginPath(realmId, id));
      },
    },
  ];

  /** Returns the final redirect, if it is a URI of the client. */
  const destinationOf = async ({ visitor: { realm }, token }: Visit): Promise<string | null> => {
    const found = await findToken({ tx: db, realm: realm.realmId, now: clock.now() }, ACTIONS_KIND, token);
    const link = found && (found.data as unknown as ActionsLink);
    return link && (await isDestination(parts.clients, realm.realmId, link)) ? link.redirectUri : null;
  };

  route(app, "GET", `/${ACTIONS_PATH}/done`, {
    summary: "Show that the requested actions are done",
    querystring,
    response: { 200: page("The page") },
    handler: async (request, reply) => visitors.showMessageBeforeSignIn(request, reply, 200, "actions-done"),
  });

  /** Finds the sign-in that asked for the mail, if the link was opened in the same browser and the sign-in has not expired. */
  const askedHere = async ({ visitor: { realm, preSessions }, token }: Visit): Promise<Interaction | null> => {
    const reading = { tx: db, realm: realm.realmId, now: clock.now() };
    const found = await findToken(reading, "reset-password", token);
    const { browserHash, interactionId } = (found?.data ?? {}) as Partial<ResetLink>;
    if (!browserHash || !interactionId || !preSessions.some((id) => safeEqual(browserHash, sha256(id)))) return null;
    return readInteraction(reading, interactionId, preSessions).catch(() => null);
  };

  for (const link of links) {
    const showPage = async (request: FastifyRequest, reply: FastifyReply, isStale = false) => {
      const { realmId } = request;
      const { token } = request.params as { token: string };
      const found = await findToken({ tx: db, realm: realmId, now: clock.now() }, link.kind, token);
      if (!found) return showGone({ request, reply });
      const page = { ...link.page, path: `/realms/${realmId}/${link.path}/${token}`, values: link.page.values(found) };
      return showLink(visitors, request, reply, page, isStale);
    };

    route(app, "GET", `/${link.path}/:token`, {
      operationId: `get${link.operation}Link`,
      summary: `${link.summary}: show the page`,
      description: "The address of the link in the mail. It changes nothing.",
      params,
      querystring,
      response: { 200: page("The page"), ...goneResponse },
      handler: async (request, reply) => showPage(request, reply),
    });

    route(app, "POST", `/${link.path}/:token`, {
      config: { limit: "signIns", onStale: (request, reply) => showPage(request, reply, true) },
      operationId: `follow${link.operation}Link`,
      summary: link.summary,
      description: "Uses up the link.",
      params,
      body,
      response: {
        200: page("Done"),
        303: redirect("Redirects to the next page"),
        403: page("The CSRF token is missing or stale"),
        ...goneResponse,
      },
      handler: async (request, reply) => {
        const { token } = request.params;
        return link.follow({ request, reply, visitor: request.visitor, token });
      },
    });
  }
};

/**
 * Continues in this browser as if the code had been typed. Returns null if the link was used, or if the account is closed or has another
 * address by now.
 */
async function goOnResetting(ctx: Ctx, { visitor, token }: Visit, asked: Interaction | null): Promise<string | null> {
  const taken = await takeToken(ctx, "reset-password", token);
  if (!taken || taken.userId === null) return null;
  const { progress } = taken.data as unknown as ResetLink;
  const user = await holdUserForSignIn(ctx.tx, ctx.realm, taken.userId, { toWrite: true });
  if (!user || !(await confirmMailed(ctx, taken))) return null;
  const passed = progress.passed.map((step) => ({ ...step, at: ctx.now }));
  return startInteraction(ctx, {
    kind: "login",
    browser: visitor.preSession,
    request: { flow: "reset-credentials", actions: ["UPDATE_PASSWORD"], ...callbacksOf(asked?.request ?? {}) },
    state: { ...progress, passed },
    returnTo: asked?.returnTo ?? homePath(ctx.realm),
  });
}
