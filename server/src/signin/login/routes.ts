import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { providerLogoutRoutes } from "../../federation/index.ts";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { themeCss, themeVersion } from "../../pages/index.ts";
import { anonymous, browser, declare, field, page, redirect, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { isKnown } from "../../platform/versions.ts";
import { unknownRealm } from "../../tenancy/realms/index.ts";
import type { SignInParts } from "../authenticators/index.ts";
import type { Ask, Flows } from "../flows/index.ts";
import {
  beginActions,
  beginStep,
  continueSignIn,
  giveUp,
  hasDeclinedLink,
  type Interaction,
  interactionErrors,
  isRequested,
  keepRun,
  openSignIn,
  positionOf,
  positionToAnswer,
  type Run,
  readInteraction,
  restarted,
  stepOf,
} from "../run/index.ts";
import { homePath, loginPath, seeOther } from "./begin.ts";
import { brokerRoutes } from "./broker.routes.ts";
import { brokerLogoutRoutes } from "./broker-logout.routes.ts";
import { continueRoutes } from "./continue.routes.ts";
import { depart, discoverHomeRealm } from "./departure.ts";
import { linkRoutes } from "./link.routes.ts";
import { type LogoutParts, logoutRoutes } from "./logout.routes.ts";
import { messageRoutes } from "./message.routes.ts";
import { showPostForm } from "./post-form.ts";
import { endNamedSessions } from "./provider-logout.ts";
import { createReplies, stepPath, type Visit } from "./replies.ts";
import { returnTarget } from "./return-target.ts";
import { startingSession } from "./start-session.ts";
import { stepUpRoutes } from "./step-up.routes.ts";

export interface LoginRouteParts extends SignInParts, LogoutParts {
  readonly flows: Flows;
}

const LoginQuery = Type.Object({
  return_to: field(2048, "The path on this server to continue at"),
  interaction: field(64),
  lang: field(35),
  signed_out: field(8),
});

/** The form of every step. Each step reads its own members. */
const LoginForm = Type.Object(
  {
    username: field(1024),
    password: field(8192),
    code: field(64, "The code, in steps that ask for one"),
    credential: field(32_768, "The browser's answer to a challenge, as JSON"),
    currentPassword: field(8192, "The current password in the directory"),
    newPassword: field(8192),
    newPasswordAgain: field(8192),
    _csrf: field(512, "The value of the cookie XSRF-TOKEN; 403 without it"),
    rememberMe: field(8),
    trustDevice: field(8),
    return_to: field(2048),
    interaction: field(64),
    lang: field(35),
    step: field(255, "The step that is answered. Default: the current step"),
    choose: field(255, "The name of another way to pass the current step"),
    restart: field(8, "Start again, as another user"),
    resend: field(8, "Request another code"),
    giveUp: field(8, "End the request of the application with an error"),
  },
  { $id: "LoginForm", additionalProperties: Type.String({ maxLength: 4096 }) },
);

/** Mounted under /realms/:realm. */
export const loginRoutes: FastifyPluginAsyncTypebox<LoginRouteParts> = async (app, parts) => {
  const { visitors, baseUrl, flows, brokers, work } = parts;
  declare(app, { tags: ["Sign-in"], caller: browser(), csrf: "sign-in-form", errors: "page" });
  app.setErrorHandler(async (error, request, reply) => {
    const { interaction } = visitors.carried(request);
    // The step was answered twice, or in two tabs. The browser gets the current step.
    if (interaction !== undefined && error instanceof AppError && error.code === "interactions.moved_on")
      return seeOther(reply, loginPath((request.params as { realm: string }).realm, interaction));
    throw error; // the gate shows it
  });

  const openRun = async ({ request, visitor }: Visit, known?: string | Interaction): Promise<Run> => {
    const query = request.query as { interaction?: string; return_to?: string };
    const asked = { ...query, ...((request.body ?? {}) as { interaction?: string }) };
    const { realm, session } = visitor;
    const id = typeof known === "object" ? undefined : (known ?? asked.interaction);
    const interaction =
      typeof id === "string"
        ? await readInteraction({ tx: parts.db, realm: realm.realmId, now: clock.now() }, id, visitor.preSessions)
        : ((known as Interaction | undefined) ?? null);
    // An account that is being registered cannot sign in yet.
    if (interaction?.kind === "registration") throw interactionErrors.gone();
    return openSignIn(parts, {
      realm,
      flows: (await flows.get(realm.realmId)) ?? noRealm(),
      interaction,
      returnTo: returnTarget(asked.return_to, baseUrl, homePath(realm.realmId)),
      visitor: {
        // The data of a sign-in stays bound to the pre-session in which it began.
        ...{ session, preSession: interaction?.browser ?? visitor.preSession },
        ...requestSource(request),
        userAgent: request.headers["user-agent"] ?? null,
        locale: visitors.localeOf(request, realm),
        deviceToken: visitor.deviceToken,
        lastProvider: visitor.lastProvider,
      },
    });
  };

  const completion = startingSession(parts);
  const replies = createReplies({ parts, visitors });
  const { show, showStuck, answerWith } = replies;
  const pathOf = (request: FastifyRequest) => `/realms/${request.realmId}/login?${new URLSearchParams(visitors.carried(request))}`;

  /** Shows the current step with the typed values after a form whose CSRF token does not fit. Nothing is counted. */
  const showStaleStep = async (visit: Visit) => {
    const { request, reply } = visit;
    const opened = await openRun(visit);
    if (opened.interaction?.result) return seeOther(reply, opened.interaction.returnTo);
    const form = (request.body ?? {}) as Readonly<Record<string, unknown>>;
    const position = await positionToAnswer(parts, opened, textOf(form.step));
    if (position.outcome === "refuse") return showStuck(visit, position);
    if (position.outcome === "pass") return seeOther(reply, pathOf(request));
    const [ask, ...others] = position.steps;
    const problem = { title: "csrfTitle", text: "csrfText" } as const;
    return show(visit, typedInto(position.run, ask, form), ask, { status: 403, problem, others });
  };

  route(app, "GET", "/login", {
    summary: "Show the sign-in page",
    description: "Shows the current step of the sign-in. Sets the cookie XSRF-TOKEN.",
    querystring: LoginQuery,
    response: { 200: page("The page of the current step"), 303: redirect("Nothing is left to ask. Redirects to the destination") },
    handler: async (request, reply) => {
      const { visitor } = request;
      const visit = { request, reply, visitor };
      const { signed_out } = request.query;
      const opened = await openRun(visit);
      const { session } = visitor;
      const { realmId } = visitor.realm;
      // Required actions do not wait for the next sign-in.
      if (session?.impersonator === null && session.requiredActions.length > 0 && !opened.interaction) {
        const begun = await beginActions(parts, opened);
        if (begun !== null) return seeOther(reply, loginPath(realmId, begun));
      }
      if (session && !opened.interaction)
        return visitors.showSignedIn(request, reply, {
          signedInAs: session.username,
          continueUrl: opened.returnTo === loginPath(realmId) ? homePath(realmId) : opened.returnTo,
          logoutAction: `/realms/${realmId}/logout`,
        });
      // Another tab has finished the sign-in.
      if (opened.interaction?.result) return seeOther(reply, opened.interaction.returnTo);
      const position = await positionOf(parts, opened);
      const outcome = await continueSignIn(parts, position, null, completion);
      if (outcome.outcome === "refuse") return showStuck(visit, outcome);
      // A step was answered elsewhere, or no step is left.
      if (outcome !== position || outcome.outcome !== "ask") return answerWith(visit, outcome);
      const departed = await depart({ parts, visitors }, visit, outcome);
      if (departed !== null) return departed;
      const [ask, ...others] = outcome.steps;
      return show(visit, await beginStep(parts, outcome.run, ask), ask, {
        status: 200,
        others,
        ...(signed_out !== undefined && { notice: "signedOutNotice" }),
        ...(hasDeclinedLink(outcome.run) && { notice: "linkDeclined" }),
      });
    },
  });

  route(app, "POST", "/login", {
    config: { limit: "signIns", onStale: (request, reply) => showStaleStep({ request, reply, visitor: request.visitor }) },
    summary: "Answer a step of the sign-in",
    description:
      "Redirects to `return_to` with the session's cookie, or to the page of the next step without one. 401 with the page if the answer is wrong; 429 after too many attempts.",
    body: LoginForm,
    response: {
      303: redirect("Redirects to the next step, or signed in"),
      401: page("The answer is wrong"),
      403: page("The CSRF token is missing or stale"),
    },
    handler: async (request, reply) => {
      const visit = { request, reply, visitor: request.visitor };
      const opened = await openRun(visit);
      if (opened.interaction?.result) return seeOther(reply, opened.interaction.returnTo);
      const form = request.body as Readonly<Record<string, string>>;
      const position = await positionToAnswer(parts, opened, form.step);
      const { run } = position;
      const keepAt = async (kept: Run) => seeOther(reply, stepPath(await keepRun(parts, kept)));
      if (position.outcome === "refuse") {
        if (form.restart !== undefined) return keepAt(restarted(run));
        const ends = form.giveUp !== undefined && isRequested(run.interaction);
        return ends ? seeOther(reply, await giveUp(parts, run, position.reason === "unmet")) : showStuck(visit, position);
      }
      if (position.outcome === "pass") return seeOther(reply, pathOf(request));
      if (form.giveUp !== undefined && isRequested(run.interaction)) return seeOther(reply, await giveUp(parts, run, false));
      const others = (shown: Ask) => position.steps.filter((step) => step !== shown);
      if (form.restart !== undefined) return keepAt(restarted(run));
      if (form.choose !== undefined)
        return keepAt({ ...run, progress: { ...run.progress, chosen: stepOf(position, form.choose)?.path ?? null } });
      const ask = stepOf(position, form.step);
      // The form is of an old page, whose step is done. The browser gets the current step.
      if (!ask) return seeOther(reply, stepPath(run));

      const discovered = await discoverHomeRealm(parts, position, ask, form);
      if (discovered) return keepAt(discovered);
      const missing = missingIn(ask, form);
      if (missing.length > 0)
        return show(visit, typedInto(run, ask, form), ask, {
          // An empty password is a wrong one. It is not counted, because it guesses nothing.
          status: String(missing) === "password" && form.password === "" ? 401 : 400,
          problem: { title: "missingTitle", text: "missingText" },
          missing,
          others: others(ask),
        });
      return answerWith(visit, await continueSignIn(parts, position, { step: ask, form }, completion));
    },
  });

  route(app, "GET", "/", {
    operationId: "openRealm",
    summary: "Redirect to the account console or the sign-in page",
    response: { 303: redirect("Redirects to the page") },
    handler: async (request, reply) => seeOther(reply, request.visitor.session ? homePath(request.realmId) : loginPath(request.realmId)),
  });

  for (const routes of [linkRoutes, continueRoutes, brokerRoutes]) await app.register(routes, { parts, visitors, replies, openRun });
  await app.register(stepUpRoutes, { visitors, baseUrl });
  await app.register(messageRoutes, parts);
  await app.register(logoutRoutes, parts);
  await app.register(brokerLogoutRoutes, parts);
  await app.register(providerLogoutRoutes, {
    ...{ brokers, work, goTo: seeOther, end: endNamedSessions(parts), isComplete: parts.singleLogout.isComplete },
    showForm: (exchange, hop) => showPostForm(visitors, exchange, hop, "signedOutTitle"),
  });

  route(app, "GET", "/theme.css", {
    config: { caller: anonymous() },
    summary: "Read the realm's style sheet",
    response: { 200: Type.String() },
    handler: async (request, reply) => {
      const { realm } = request;
      const etag = `"${themeVersion(realm.settings)}"`;
      reply.headers({ etag, "cache-control": "public, max-age=300", "x-content-type-options": "nosniff" });
      if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304 as 200).send("");
      return reply.type("text/css; charset=utf-8").send(themeCss(realm.settings));
    },
  });
};

/** Returns the required fields that are empty. Such a form is not counted as an answer. A request for another code needs no fields. */
const missingIn = ({ question: { fields, isPartial } }: Ask, form: Readonly<Record<string, string>>): string[] =>
  form.resend === undefined ? fields.filter((name) => !form[name] && !(isPartial && form[name] === undefined)) : [];

/** Returns undefined if the value is no string, because the form may not be valid. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Keeps the typed name when an answer is refused before it is checked. */
function typedInto(run: Run, { question }: Ask, form: Readonly<Record<string, unknown>>): Run {
  if (!question.nameIn) return run;
  const text = Object.fromEntries(Object.entries(form).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  return {
    ...run,
    progress: { ...run.progress, login: question.nameIn(text).slice(0, 320), remember: text.rememberMe !== undefined },
  };
}

const noRealm = (): never => {
  throw unknownRealm();
};
