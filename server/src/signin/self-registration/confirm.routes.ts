import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { safeEqual, sha256 } from "../../kernel/vault.ts";
import { anonymousActor, type Ctx } from "../../platform/context.ts";
import { field, link, page, redirect, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import {
  type ActionToken,
  findToken,
  isMailedCode,
  type Mailed,
  mayResend,
  mayTryCode,
  resendWait,
  takeToken,
  takeTokenByHash,
} from "../action-tokens/index.ts";
import type { FlowsSnapshot } from "../flows/index.ts";
import { homePath, loginPath, seeOther, type Visitor } from "../login/index.ts";
import {
  completeInteraction,
  countAttempt,
  type Interaction,
  interactionErrors,
  readInteraction,
  saveInteractionState,
  startInteraction,
} from "../run/index.ts";
import { callbacksOf, showLink, type WayBack } from "../self-service/index.ts";
import { createRegistrationPages } from "./pages.tsx";
import { problemOf, type Refusal, stale } from "./refusals.ts";
import { createAccount, mailAgain, type PendingAccount, REGISTER_PATH, registeredProgress, type SelfRegistrationParts } from "./service.ts";

const querystring = Type.Object({ lang: field(35) });
const goneResponse = { 410: page("The link was used or replaced, or has expired") };
const CodeForm = Type.Object(
  { _csrf: field(512), code: field(64), resend: field(16, "Any value: send another mail") },
  { $id: "RegistrationCodeForm" },
);
const LinkForm = Type.Object({ _csrf: field(512) }, { examples: [{ _csrf: "the value of the cookie XSRF-TOKEN" }] });

/** A registration that waits for its code. */
interface Waiting extends Interaction {
  readonly email: string;
  readonly mailed: Mailed;
  /** The address at which it continued, if it has. */
  readonly signIn: string | null;
}

/** Creates the account when the mailed code or link is used. */
export const confirmRoutes: FastifyPluginAsyncTypebox<SelfRegistrationParts> = async (app, parts) => {
  const { db, work, vault, visitors } = parts;
  const { showWaiting } = createRegistrationPages(visitors);
  const now = () => ({ tx: db, now: clock.now() });

  const waitingOf = async ({ realm, preSessions }: Visitor, id: string): Promise<Waiting> => {
    const interaction = await readInteraction({ ...now(), realm: realm.realmId }, id, preSessions);
    if (interaction.kind !== "registration") throw interactionErrors.gone();
    const { request, state, result } = interaction;
    const signIn = typeof result?.signIn === "string" ? result.signIn : null;
    return { ...interaction, email: String(request.email), mailed: state.mailed as Mailed, signIn };
  };
  /** Returns the parts of the waiting page that are the same in every state of it. */
  const shownOf = (visitor: Visitor, { interactionId, email, mailed, request }: Waiting) => {
    const asked = (request.asked ?? {}) as Record<string, string>;
    return {
      ...{ path: pathOf(visitor, interactionId), email, ...callbacksOf(request) },
      resend: mailed.failure === null ? resendWait(mailed, clock.now()) : 0,
      back: `/realms/${visitor.realm.realmId}/register?${new URLSearchParams({ ...asked, from: interactionId })}`,
    };
  };
  /**
   * Tells whether registration is open. The realm may have closed it since the mail was sent; then neither the code nor the link creates an
   * account.
   */
  const isOpen = ({ realm }: Visitor): boolean => realm.settings.registration.enabled;
  const pathOf = ({ realm }: Visitor, id: string) => `/realms/${realm.realmId}/register/${id}`;
  const originOf = (request: FastifyRequest, { realm }: Visitor, name: string) => ({
    ...{ realm: realm.realmId, actor: anonymousActor(realm.realmId, name), ...requestSource(request) },
  });

  /** Tells whether it is the browser that registered. */
  const isTheirs = ({ preSessions }: Visitor, { browserHash }: PendingAccount): boolean =>
    preSessions.some((id) => safeEqual(browserHash, sha256(id)));

  /**
   * Creates the account, and the sign-in that continues with it. The name may have been taken since; then the page says so. In another
   * browser than the one that registered it may be another person, who had typed this address: the password counts only in that browser,
   * and here the owner of the address chooses one.
   */
  const begin = async (ctx: Ctx, visitor: Visitor, flows: FlowsSnapshot, { data }: ActionToken, way: WayBack) => {
    const { realm, preSession } = visitor;
    const pending = data as unknown as PendingAccount;
    const isHere = isTheirs(visitor, pending);
    const { returnTo, ...callbacks } = way;
    const userId = await createAccount(ctx, realm, isHere ? pending : { ...pending, hash: null }, { emailVerified: true });
    const state = { ...registeredProgress(flows, userId, pending.username, isHere ? "password" : "mail") };
    return startInteraction(ctx, { kind: "login", browser: preSession, request: { ...callbacks }, state, returnTo });
  };

  route(app, "GET", "/register/:id", {
    operationId: "getRegistrationCode",
    summary: "Show the page that waits for the mailed code",
    params: Type.Object({ realm: Type.String(), id: Type.String() }),
    querystring: Type.Object({ lang: field(35), again: field(1) }),
    response: { 200: page("The page"), 303: redirect("The account exists") },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { id } = request.params;
      const waiting = await waitingOf(visitor, id);
      const { mailed, signIn } = waiting;
      if (signIn !== null) return seeOther(reply, loginPath(visitor.realm.realmId, signIn));
      const failed = mailed.failure === null ? {} : FAILURES[mailed.failure];
      const isAgain = request.query.again !== undefined && mailed.failure === null;
      return showWaiting(request, reply, {
        ...shownOf(visitor, waiting),
        status: 200,
        ...failed,
        ...(isAgain && { notice: "mailedAgain" }),
      });
    },
  });

  route(app, "POST", "/register/:id", {
    config: {
      limit: "signIns",
      async onStale(request: FastifyRequest<{ Params: { id: string } }>, reply) {
        const waiting = await waitingOf(request.visitor, request.params.id);
        return showWaiting(request, reply, { ...shownOf(request.visitor, waiting), ...stale });
      },
    },
    operationId: "confirmRegistrationCode",
    summary: "Send the mailed code, or request another mail",
    params: Type.Object({ realm: Type.String(), id: Type.String() }),
    body: CodeForm,
    response: {
      303: redirect("Redirects to the sign-in"),
      401: page("The code is wrong"),
      403: page("The CSRF token is missing or stale, or registration is disabled"),
      409: page("The username was taken in the meantime"),
    },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { realm } = visitor;
      const { id } = request.params;
      const waiting = await waitingOf(visitor, id);
      const { email, mailed, signIn } = waiting;
      const callbacks = callbacksOf(waiting.request);
      const refuse = (refusal: Refusal) => showWaiting(request, reply, { ...shownOf(visitor, waiting), ...refusal });
      if (signIn !== null) return seeOther(reply, loginPath(realm.realmId, signIn));
      if (!isOpen(visitor)) return visitors.showMessageBeforeSignIn(request, reply, 403, "registration-off");

      const origin = originOf(request, visitor, email);
      if (request.body.resend !== undefined) {
        if (mailed.failure === null && !mayResend(mailed, clock.now())) return refuse(TOO_SOON);
        const locale = visitors.localeOf(request, realm);
        const failure = await mailAgain(parts, origin, realm, waiting, locale, (ctx, next) =>
          saveInteractionState(ctx, waiting, { mailed: { ...next } }),
        );
        return failure === null
          ? seeOther(reply, `${pathOf(visitor, id)}?again=1`)
          : refuse({ status: 429, blamed: null, ...FAILURES[failure] });
      }

      const who = { login: email, userId: null, sourceIp: request.ip };
      const attempt = await countAttempt({ db, work }, origin, realm, who, "registration");
      const { retryAfterSeconds } = attempt;
      if (retryAfterSeconds !== null)
        return refuse({ status: 429, blamed: null, title: "lockedOutTitle", text: "lockedOutTextTimed", retryAfterSeconds });
      const wrong = { status: 401, blamed: null, title: "mailedWrongTitle", text: "mailedWrongText" } as const;
      if (!(await mayTryCode(work, origin, mailed.tokenHash))) {
        await attempt.takeBack();
        return refuse({ ...wrong, title: "codeSpentTitle", text: "codeSpentText" });
      }
      if (!isMailedCode(vault, mailed, request.body.code ?? "")) return refuse(wrong);
      const flows = (await parts.flows.get(realm.realmId))!;
      const done = await work
        .transact(origin, async (ctx) => {
          const taken = await takeTokenByHash(ctx, "registration", mailed.tokenHash);
          if (!taken) return null;
          const begun = await begin(ctx, visitor, flows, taken, { returnTo: waiting.returnTo, ...callbacks });
          await completeInteraction(ctx, waiting, { signIn: begun });
          await attempt.succeeded(ctx);
          return begun;
        })
        .catch(problemOf);
      if (done === null) return refuse(wrong);
      return typeof done === "string" ? seeOther(reply, loginPath(realm.realmId, done)) : refuse(done);
    },
  });

  const showGone = (request: FastifyRequest, reply: FastifyReply) => visitors.showMessageBeforeSignIn(request, reply, 410, "link-gone");
  const linkParams = Type.Object({ realm: Type.String(), token: Type.String() });
  const find = ({ realm }: Visitor, token: string) => findToken({ ...now(), realm: realm.realmId }, "registration", token);
  /** Returns the way back to the request, in the browser that asked. */
  const wayOf = (visitor: Visitor, { data }: ActionToken): WayBack => {
    const pending = data as unknown as PendingAccount;
    return isTheirs(visitor, pending) ? pending.way : { returnTo: homePath(visitor.realm.realmId) };
  };
  const findOpen = async (visitor: Visitor, token: string) => (isOpen(visitor) ? find(visitor, token) : null);
  const showButton = async (request: FastifyRequest, reply: FastifyReply, isStale = false) => {
    const { visitor } = request;
    const { token } = request.params as { token: string };
    const found = isStale ? await findOpen(visitor, token) : await find(visitor, token);
    if (!found) return showGone(request, reply);
    const path = `/realms/${visitor.realm.realmId}/${REGISTER_PATH}/${token}`;
    const words = { title: "registerTitle", lead: "registerLinkText", button: "registerSubmit" } as const;
    const values = { account: String(found.data.username) };
    return showLink(visitors, request, reply, { path, ...words, values, ...callbacksOf(wayOf(visitor, found)) }, isStale);
  };

  route(app, "GET", `/${REGISTER_PATH}/:token`, {
    config: { caller: link() },
    operationId: "getRegistrationLink",
    summary: "Show the page of the mailed link",
    description: "It changes nothing.",
    params: linkParams,
    querystring,
    response: { 200: page("The page"), ...goneResponse },
    handler: async (request, reply) => showButton(request, reply),
  });

  route(app, "POST", `/${REGISTER_PATH}/:token`, {
    config: { caller: link(), limit: "signIns", onStale: (request, reply) => showButton(request, reply, true) },
    operationId: "followRegistrationLink",
    summary: "Create the account through the mailed link",
    description:
      "Works in any browser, and the sign-in continues there. In another browser than the one that registered, the password that was entered there is not used: the page asks for one.",
    params: linkParams,
    body: LinkForm,
    response: { 303: redirect("Redirects to the sign-in"), 403: page("The CSRF token is missing or stale"), ...goneResponse },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { realm } = visitor;
      const { token } = request.params;
      const found = await findOpen(visitor, token);
      if (!found) return showGone(request, reply);
      const { username } = found.data as unknown as PendingAccount;
      const flows = (await parts.flows.get(realm.realmId))!;
      const id = await work
        .transact(originOf(request, visitor, username), async (ctx) => {
          const taken = await takeToken(ctx, "registration", token);
          return taken && begin(ctx, visitor, flows, taken, wayOf(visitor, found));
        })
        .catch((error) => problemOf(error) && null);
      return id === null ? showGone(request, reply) : seeOther(reply, loginPath(realm.realmId, id));
    },
  });
};

const TOO_SOON = { status: 429, blamed: null, title: "mailedWaitTitle", text: "mailedWaitText" } as const;
const FAILURES = {
  limited: { title: "mailedLimitedTitle", text: "mailedLimitedText" },
  unavailable: { title: "mailedUnavailableTitle", text: "mailedUnavailableText" },
} as const;
