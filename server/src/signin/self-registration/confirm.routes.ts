import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { safeEqual, sha256 } from "../../kernel/vault.ts";
import { anonymousActor, type Ctx } from "../../platform/context.ts";
import { field, link, page, redirect } from "../../platform/http/index.ts";
import { type ActionToken, findToken, isMailedCode, type Mailed, takeToken, takeTokenByHash } from "../action-tokens/index.ts";
import type { FlowsSnapshot } from "../flows/index.ts";
import { loginPath, seeOther, type Visitor } from "../login/index.ts";
import { completeInteraction, countAttempt, type Interaction, interactionErrors, readInteraction, startInteraction } from "../run/index.ts";
import { createLinkPages, originsOf, type WayBack } from "../self-service/index.ts";
import { createRegistrationPages } from "./pages.tsx";
import { problemOf, type Refusal } from "./refusals.ts";
import { createAccount, type PendingAccount, REGISTER_PATH, registeredProgress, type SelfRegistrationParts } from "./service.ts";

const querystring = Type.Object({ lang: field(35) });
const gone = { 410: page("Used, replaced or expired") };
const CodeForm = Type.Object({ _csrf: field(512), code: field(64) }, { $id: "RegistrationCodeForm" });
const LinkForm = Type.Object({ _csrf: field(512) }, { examples: [{ _csrf: "the value of the cookie XSRF-TOKEN" }] });

/** A registration that waits for its code. */
interface Waiting extends Interaction {
  readonly email: string;
  readonly mailed: Mailed;
  /** Where it went on, once it had. */
  readonly signIn: string | null;
}

/** Creates the account when the mailed code or link is used. */
export const confirmRoutes: FastifyPluginAsyncTypebox<SelfRegistrationParts> = async (app, parts) => {
  const { db, work, vault, visitors } = parts;
  const { showWaiting, showMessage } = createRegistrationPages(visitors);
  const { showLink } = createLinkPages(visitors);
  const now = () => ({ tx: db, now: clock.now() });

  const waitingOf = async ({ realm, preSessions }: Visitor, id: string): Promise<Waiting> => {
    const interaction = await readInteraction({ ...now(), realm: realm.realmId }, id, preSessions);
    if (interaction.kind !== "registration") throw interactionErrors.gone();
    const { request, state, result } = interaction;
    const signIn = typeof result?.signIn === "string" ? result.signIn : null;
    return { ...interaction, email: String(request.email), mailed: state.mailed as Mailed, signIn };
  };
  const pathOf = ({ realm }: Visitor, id: string) => `/realms/${realm.realmId}/register/${id}`;
  const originOf = (request: FastifyRequest, { realm }: Visitor, name: string) => ({
    ...{ realm: realm.realmId, actor: anonymousActor(realm.realmId, name), sourceIp: request.ip },
  });

  /** The name may have been taken since: then the page says so. */
  const begin = async (ctx: Ctx, { realm }: Visitor, flows: FlowsSnapshot, { data }: ActionToken) => {
    const pending = data as unknown as PendingAccount;
    const userId = await createAccount(ctx, realm, pending, { emailVerified: true });
    return { ...registeredProgress(flows, userId, pending.username) };
  };

  app.get(
    "/register/:id",
    {
      schema: {
        operationId: "getRegistrationCode",
        summary: "The page that waits for the code of the mail",
        params: Type.Object({ realm: Type.String(), id: Type.String() }),
        querystring,
        response: { 200: page("The page"), 303: redirect("The account is there") },
      },
    },
    async (request, reply) => {
      const { visitor } = request;
      const { id } = request.params;
      const { email, mailed, signIn, request: asked } = await waitingOf(visitor, id);
      if (signIn !== null) return seeOther(reply, loginPath(visitor.realm.realmId, signIn));
      const failed = mailed.failure === null ? {} : FAILURES[mailed.failure];
      return showWaiting(request, reply, visitor, { path: pathOf(visitor, id), email, status: 200, ...failed, ...originsOf(asked) });
    },
  );

  app.post(
    "/register/:id",
    {
      config: {
        limit: "signIns",
        async onStale(request: FastifyRequest<{ Params: { id: string } }>, reply) {
          const waiting = await waitingOf(request.visitor, request.params.id);
          return showWaiting(request, reply, request.visitor, {
            ...{ path: pathOf(request.visitor, request.params.id), email: waiting.email, ...originsOf(waiting.request) },
            ...{ status: 403, blamed: null, title: "csrfTitle", text: "invitationCsrfText" },
          });
        },
      },
      schema: {
        operationId: "confirmRegistrationCode",
        summary: "Bring the code of the mail",
        consumes: ["application/x-www-form-urlencoded"],
        params: Type.Object({ realm: Type.String(), id: Type.String() }),
        body: CodeForm,
        response: {
          303: redirect("On into the sign-in"),
          401: page("Wrong code"),
          403: page("CSRF token missing or stale"),
          409: page("The name was taken meanwhile"),
        },
      },
    },
    async (request, reply) => {
      const { visitor } = request;
      const { realm } = visitor;
      const { id } = request.params;
      const waiting = await waitingOf(visitor, id);
      const { email, mailed, signIn } = waiting;
      const origins = originsOf(waiting.request);
      const refuse = (refusal: Refusal) =>
        showWaiting(request, reply, visitor, { path: pathOf(visitor, id), email, ...refusal, ...origins });
      if (signIn !== null) return seeOther(reply, loginPath(realm.realmId, signIn));

      const origin = originOf(request, visitor, email);
      const who = { login: email, userId: null, sourceIp: request.ip };
      const attempt = await countAttempt({ db, work }, origin, realm, who, "registration");
      const { retryAfterSeconds } = attempt;
      if (retryAfterSeconds !== null)
        return refuse({ status: 429, blamed: null, title: "lockedOutTitle", text: "lockedOutTextTimed", retryAfterSeconds });
      const wrong = { status: 401, blamed: null, title: "mailedWrongTitle", text: "mailedWrongText" } as const;
      if (!isMailedCode(vault, mailed, request.body.code ?? "")) return refuse(wrong);
      const flows = (await parts.flows.get(realm.realmId))!;
      const done = await work
        .transact(origin, async (ctx) => {
          const taken = await takeTokenByHash(ctx, "registration", mailed.tokenHash);
          if (!taken) return null;
          const state = await begin(ctx, visitor, flows, taken);
          const { returnTo } = waiting;
          const begun = await startInteraction(ctx, {
            ...{ kind: "login", browser: visitor.preSession, request: { ...origins }, state, returnTo },
          });
          await completeInteraction(ctx, waiting, { signIn: begun });
          await attempt.succeeded(ctx);
          return begun;
        })
        .catch(problemOf);
      if (done === null) return refuse(wrong);
      return typeof done === "string" ? seeOther(reply, loginPath(realm.realmId, done)) : refuse(done);
    },
  );

  const linkParams = Type.Object({ realm: Type.String(), token: Type.String() });
  const find = ({ realm }: Visitor, token: string) => findToken({ ...now(), realm: realm.realmId }, "registration", token);
  /** Back to where it was asked for, in the browser that asked. */
  const wayOf = ({ realm, preSessions }: Visitor, { data }: ActionToken): WayBack => {
    const { browserHash, way } = data as unknown as PendingAccount;
    return preSessions.some((id) => safeEqual(browserHash, sha256(id))) ? way : { returnTo: loginPath(realm.realmId) };
  };
  const findOpen = async (visitor: Visitor, token: string) => (visitor.realm.settings.registration.enabled ? find(visitor, token) : null);
  const showButton = async (request: FastifyRequest, reply: FastifyReply, isStale = false) => {
    const { visitor } = request;
    const { token } = request.params as { token: string };
    const found = isStale ? await findOpen(visitor, token) : await find(visitor, token);
    if (!found) return showMessage(request, reply, visitor, "link-gone", 410);
    const path = `/realms/${visitor.realm.realmId}/${REGISTER_PATH}/${token}`;
    const words = { title: "registerTitle", lead: "registerLinkText", button: "registerSubmit" } as const;
    const values = { account: String(found.data.username) };
    return showLink(request, reply, visitor, { path, ...words, values, ...originsOf(wayOf(visitor, found)) }, isStale);
  };

  app.get(
    `/${REGISTER_PATH}/:token`,
    {
      config: { caller: link() },
      schema: {
        operationId: "getRegistrationLink",
        summary: "The page behind the link of the mail",
        description: "It changes nothing.",
        ...{ params: linkParams, querystring },
        response: { 200: page("The page"), ...gone },
      },
    },
    async (request, reply) => {
      return showButton(request, reply) as never;
    },
  );

  app.post(
    `/${REGISTER_PATH}/:token`,
    {
      config: { caller: link(), limit: "signIns", onStale: (request, reply) => showButton(request, reply, true) },
      schema: {
        operationId: "followRegistrationLink",
        summary: "Create the account that the link of the mail is for",
        description: "In any browser; signing in goes on in that one.",
        consumes: ["application/x-www-form-urlencoded"],
        ...{ params: linkParams, body: LinkForm },
        response: { 303: redirect("On into the sign-in"), 403: page("CSRF token missing or stale"), ...gone },
      },
    },
    async (request, reply) => {
      const { visitor } = request;
      const { realm, preSession } = visitor;
      const { token } = request.params;
      const found = await findOpen(visitor, token);
      if (!found) return showMessage(request, reply, visitor, "link-gone", 410);
      const { username } = found.data as unknown as PendingAccount;
      const { returnTo, ...origins } = wayOf(visitor, found);
      const flows = (await parts.flows.get(realm.realmId))!;
      const id = await work
        .transact(originOf(request, visitor, username), async (ctx) => {
          const taken = await takeToken(ctx, "registration", token);
          if (!taken) return null;
          const state = await begin(ctx, visitor, flows, taken);
          return startInteraction(ctx, { kind: "login", browser: preSession, request: { ...origins }, state, returnTo });
        })
        .catch((error) => problemOf(error) && null);
      return id === null ? showMessage(request, reply, visitor, "link-gone", 410) : seeOther(reply, loginPath(realm.realmId, id));
    },
  );
};

const FAILURES = {
  limited: { title: "mailedLimitedTitle", text: "mailedLimitedText" },
  unavailable: { title: "mailedUnavailableTitle", text: "mailedUnavailableText" },
} as const;
