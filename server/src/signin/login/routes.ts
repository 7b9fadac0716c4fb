import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { refuseBy, refuseDirtyText } from "../../platform/http/index.ts";
import { MASTER, type RealmSnapshots, unknownRealm } from "../../tenancy/realms/index.ts";
import type { SignInParts, SignInRequest } from "../authenticators/index.ts";
import type { Ask, Flows } from "../flows/index.ts";
import { interactionErrors, readInteraction } from "../interactions/index.ts";
import { messagesOf, renderMessage, renderStuck, sendPage, themeCss, themeVersion } from "../pages/index.ts";
import type { Cookies, Csrf } from "../sessions/index.ts";
import { answerStep, finishSilently, giveUp, goOnFromElsewhere, isAsked, type Outcome } from "./answers.ts";
import { linkRoutes } from "./link.routes.ts";
import { type LogoutRequests, logoutRoutes } from "./logout.routes.ts";
import { returnTarget } from "./return-target.ts";
import {
  askFor,
  beginActions,
  beginStep,
  keepProgress,
  openSignIn,
  positionOf,
  positionToAnswer,
  restarted,
  type SignIn,
} from "./sign-in.ts";
import { accountOf, type ShownStep, showStep } from "./steps.ts";
import { createVisitors, type Visitor } from "./visitors.ts";

export interface LoginRouteParts extends SignInParts {
  readonly flows: Flows;
  readonly realms: RealmSnapshots;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
  readonly logoutRequests: LogoutRequests;
  /** Refuses an address that posts too often, whatever it posts. */
  readonly limit: onRequestAsyncHookHandler;
}

const params = Type.Object({ realm: Type.String() });
const LoginQuery = Type.Object({
  return_to: Type.Optional(Type.String({ maxLength: 2048, description: "A path of this server to go on to" })),
  interaction: Type.Optional(Type.String({ maxLength: 64 })),
  lang: Type.Optional(Type.String({ maxLength: 35 })),
  signed_out: Type.Optional(Type.String({ maxLength: 8 })),
});

const field = (maxLength: number, description?: string) => Type.Optional(Type.String({ maxLength, ...(description && { description }) }));

/** The form of every step; which of the members a step reads is its own affair. */
const LoginForm = Type.Object(
  {
    username: field(1024),
    password: field(8192),
    code: field(64, "Of steps that ask for one"),
    credential: field(32_768, "What the browser answered to a challenge, as JSON"),
    newPassword: field(8192),
    newPasswordAgain: field(8192),
    _csrf: field(512, "The value of the cookie XSRF-TOKEN; 403 without it"),
    rememberMe: field(8),
    trustDevice: field(8),
    return_to: field(2048),
    interaction: field(64),
    lang: field(35),
    step: field(255, "Which step it answers; without it, the present one"),
    choose: field(255, "Another way to pass the present step"),
    restart: field(8, "Begins again, as somebody else"),
    resend: field(8, "Asks for another code"),
    giveUp: field(8, "Tells the application that it cannot be done"),
  },
  { $id: "LoginForm", additionalProperties: Type.String({ maxLength: 4096 }) },
);

const tags = ["Sign-in"];
const page = (description: string) => Type.String({ description });
/** Told to whoever meets a full queue; it empties within this. */
const OVERLOAD_SECONDS = 2;

interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly visitor: Visitor;
}

/** For those who came for nothing but to sign in: the server's own start page is its administrators', others are told that they are. */
const homeOf = (realm: string): string => (realm === MASTER ? "/" : `/realms/${realm}/login`);

const goTo = (reply: FastifyReply, path: string) => reply.header("cache-control", "no-store").redirect(path, 303) as never;

/** Mounted under /realms/:realm. */
export const loginRoutes: FastifyPluginAsyncTypebox<LoginRouteParts> = async (app, parts) => {
  const { realms, csrf, cookies, baseUrl, flows } = parts;
  const visitors = createVisitors(parts);
  const { visitorOf } = visitors;
  refuseBy(app, "page", async (error, request, reply) => {
    const { interaction } = visitors.carried(request);
    // Answered twice, or in two tabs: the present step is shown.
    if (interaction !== undefined && error instanceof AppError && error.code === "interactions.moved_on")
      return goTo(reply, `/realms/${(request.params as { realm: string }).realm}/login?${new URLSearchParams({ interaction })}`);
    return visitors.showFailure(error, request, reply);
  });
  // These are forms of our own pages; nothing else is taken.
  app.removeContentTypeParser(["application/json", "text/plain"]);

  const signInOf = async ({ request, visitor }: Visit): Promise<SignIn> => {
    const asked = { ...(request.query as { interaction?: string; return_to?: string }), ...((request.body ?? {}) as object) };
    const { realm, session } = visitor;
    const interaction =
      typeof asked.interaction === "string"
        ? await readInteraction({ tx: parts.db, realm: realm.realmId, now: clock.now() }, asked.interaction, visitor.preSessions)
        : null;
    // An account that is being made is nobody's to sign in to yet.
    if (interaction?.kind === "registration") throw interactionErrors.gone();
    return openSignIn(parts, {
      realm,
      flows: (await flows.get(realm.realmId)) ?? noRealm(),
      interaction,
      returnTo: returnTarget(asked.return_to, baseUrl, homeOf(realm.realmId)),
      visitor: {
        // What a sign-in keeps stays bound to what it began with.
        ...{ session, preSession: interaction?.browser ?? visitor.preSession },
        sourceIp: request.ip,
        userAgent: request.headers["user-agent"] ?? null,
        locale: visitors.localeOf(request, realm),
        deviceToken: cookies.device(request, realm.realmId) ?? null,
      },
    });
  };

  const show = (visit: Visit, signIn: SignIn, ask: Ask, shown: ShownStep) => showStep({ parts, visitors }, visit, signIn, ask, shown);

  const showStuck = ({ request, reply, visitor }: Visit, signIn: SignIn, unmet = false) => {
    const { interaction, progress } = signIn;
    const html = renderStuck({
      ...visitors.frameOf(request, reply, visitor),
      csrf: visitors.tokenFor(request, reply, visitor),
      action: `/realms/${visitor.realm.realmId}/login`,
      hidden: { ...visitors.carried(request), ...(interaction && { interaction: interaction.interactionId }) },
      account: accountOf(signIn),
      canRestart: progress.sessionId === undefined,
      asker: isAsked(interaction),
      unmet,
    });
    return sendPage(reply, 403, html, {
      logoUrl: visitor.realm.settings.logoUrl,
      ...(signIn.request.formActionOrigins && { formActionOrigins: [...signIn.request.formActionOrigins] }),
    });
  };

  const showDeclined = ({ request, reply, visitor }: Visit) => {
    const frame = visitors.frameOf(request, reply, visitor);
    const back = { href: `/realms/${visitor.realm.realmId}/login`, label: messagesOf(frame.locale).signInAgain };
    const html = renderMessage({ ...frame, kind: "declined", back });
    return sendPage(reply, 403, html, { logoUrl: visitor.realm.settings.logoUrl });
  };

  const stepPath = (visitor: Visitor, interactionId: string) => `/realms/${visitor.realm.realmId}/login?interaction=${interactionId}`;

  const finished = ({ request, reply, visitor }: Visit, { session, returnTo, deviceToken }: Outcome & { outcome: "signed-in" }) => {
    visitors.enter(request, reply, visitor, session);
    if (deviceToken !== null) cookies.setDevice(reply, visitor.realm.realmId, deviceToken);
    return goTo(reply, returnTo);
  };

  app.get(
    "/login",
    {
      schema: {
        summary: "The sign-in page",
        description: "Shows the step at which the sign-in is. Sets the cookie XSRF-TOKEN.",
        tags,
        params,
        querystring: LoginQuery,
        response: { 200: page("The page"), 303: Type.Null({ description: "Nothing is left to ask" }) },
      },
    },
    async (request, reply) => {
      const visitor = await visitorOf(request, reply);
      const visit = { request, reply, visitor };
      const { lang, signed_out } = request.query;
      if (lang !== undefined) cookies.setLanguage(reply, visitors.localeOf(request, visitor.realm));
      const opened = await signInOf(visit);
      const { session } = visitor;
      const loginPage = `/realms/${visitor.realm.realmId}/login`;
      // What they are asked to do does not wait for the next sign-in.
      if (session?.impersonator === null && session.requiredActions.length > 0 && !opened.interaction) {
        const begun = await beginActions(parts, opened);
        if (begun !== null) return goTo(reply, stepPath(visitor, begun));
      }
      if (session && !opened.interaction)
        return visitors.showSignedIn(request, reply, visitor, {
          signedInAs: session.username,
          continueUrl: opened.returnTo === loginPage ? null : opened.returnTo,
          logoutAction: `/realms/${visitor.realm.realmId}/logout`,
        });
      // Another tab has finished it.
      if (opened.interaction?.result) return goTo(reply, opened.interaction.returnTo);
      const { position, signIn } = await positionOf(parts, opened);
      if (position.kind === "done") {
        const outcome = await finishSilently(parts, signIn);
        if (outcome.outcome === "resumed") return goTo(reply, outcome.returnTo);
        return outcome.outcome === "signed-in" ? finished(visit, outcome) : showStuck(visit, signIn);
      }
      if (position.kind === "stuck") return showStuck(visit, signIn, position.unmet);
      const elsewhere = await goOnFromElsewhere(parts, signIn, position.asks);
      if (elsewhere?.outcome === "signed-in") return finished(visit, elsewhere);
      if (elsewhere?.outcome === "next") return goTo(reply, stepPath(visitor, elsewhere.interactionId));
      if (elsewhere) return showStuck(visit, signIn);
      const [ask, ...others] = position.asks;
      return show(visit, await beginStep(parts, signIn, ask), ask, {
        status: 200,
        others,
        ...(signed_out !== undefined && { notice: "signedOutNotice" }),
      });
    },
  );

  app.post(
    "/login",
    {
      onRequest: parts.limit,
      // Order of refusals: a form without a token that fits is a 403, whatever else is wrong with it.
      attachValidation: true,
      schema: {
        summary: "Answer a step of the sign-in",
        description:
          "303 to `return_to` with the session's cookie, or to the page of the next step without one; 401 with the page when the answer is wrong; 429 after too many attempts.",
        consumes: ["application/x-www-form-urlencoded"],
        tags,
        params,
        body: LoginForm,
        response: {
          303: Type.Null({ description: "Signed in, or on to the next step" }),
          401: page("Wrong answer"),
          403: page("CSRF token missing or stale"),
        },
      },
    },
    async (request, reply) => {
      const visitor = await visitorOf(request, reply);
      const visit = { request, reply, visitor };
      const hasToken = visitors.hasSignInToken(request, visitor);
      if (hasToken && request.validationError) throw request.validationError;
      if (hasToken) refuseDirtyText(request.body);
      const opened = await signInOf(visit);
      if (opened.interaction?.result) return goTo(reply, opened.interaction.returnTo);
      const form = request.body as Readonly<Record<string, string>>;
      const { position, signIn } = await positionToAnswer(parts, opened, textOf(form?.step));
      if (position.kind === "stuck") {
        if (hasToken && form.restart !== undefined) return goTo(reply, stepPath(visitor, await keepProgress(parts, restarted(signIn))));
        const told = hasToken && form.giveUp !== undefined && isAsked(signIn.interaction);
        return told ? goTo(reply, await giveUp(parts, signIn, position.unmet)) : showStuck(visit, signIn, position.unmet);
      }
      if (position.kind === "done")
        return goTo(reply, `/realms/${visitor.realm.realmId}/login?${new URLSearchParams(visitors.carried(request))}`);
      const others = (shown: Ask) => position.asks.filter((ask) => ask !== shown);
      if (!hasToken) {
        const [ask] = position.asks;
        return show(visit, typedInto(signIn, ask, form), ask, {
          status: 403,
          problem: { title: "csrfTitle", text: "csrfText" },
          others: others(ask),
        });
      }
      if (form.restart !== undefined) return goTo(reply, stepPath(visitor, await keepProgress(parts, restarted(signIn))));
      if (form.choose !== undefined) {
        const chosen = askFor(position, form.choose);
        const progress = { ...signIn.progress, chosen: chosen?.path ?? null };
        return goTo(reply, stepPath(visitor, await keepProgress(parts, { ...signIn, progress })));
      }
      const ask = askFor(position, form.step);
      // An old page, of a step that is behind us: the present one is shown.
      if (!ask)
        return goTo(
          reply,
          signIn.interaction ? stepPath(visitor, signIn.interaction.interactionId) : `/realms/${visitor.realm.realmId}/login`,
        );

      const missing = missingIn(ask, form);
      if (missing.length > 0)
        return show(visit, typedInto(signIn, ask, form), ask, {
          status: 400,
          problem: { title: "missingTitle", text: "missingText" },
          missing,
          others: others(ask),
        });
      const result = await answerStep(parts, signIn, ask, form);
      switch (result.outcome) {
        case "signed-in":
          return finished(visit, result);
        case "next":
          return goTo(reply, stepPath(visitor, result.interactionId));
        case "stuck":
          return showStuck(visit, result.signIn, result.unmet);
        case "resumed":
          return goTo(reply, result.returnTo);
        case "declined":
          return result.returnTo === null ? showDeclined(visit) : goTo(reply, result.returnTo);
        case "wrong":
          return show(visit, result.signIn, ask, {
            status: 401,
            problem: { title: result.answer.title ?? "credentialsTitle", text: result.answer.text },
            others: others(ask),
          });
        case "again": {
          const { problem, notice } = result.answer;
          return show(visit, result.signIn, ask, {
            status: problem ? 400 : 200,
            others: others(ask),
            ...(problem && { problem }),
            ...(notice && { notice }),
          });
        }
        case "overloaded":
          return show(visit, typedInto(signIn, ask, form), ask, {
            status: 503,
            problem: { title: "overloadedTitle", text: "overloadedTextTimed" },
            retryAfterSeconds: OVERLOAD_SECONDS,
            others: others(ask),
          });
        case "wait":
          return show(visit, typedInto(signIn, ask, form), ask, {
            status: 429,
            problem: { title: "lockedOutTitle", text: "lockedOutTextTimed" },
            retryAfterSeconds: result.retryAfterSeconds,
            others: others(ask),
          });
      }
    },
  );

  await app.register(linkRoutes, { parts, visitors, limit: parts.limit, signInOf });
  await app.register(logoutRoutes, { work: parts.work, csrf, cookies, visitors, logoutRequests: parts.logoutRequests });

  app.get(
    "/theme.css",
    { schema: { summary: "The realm's style sheet", tags, params, response: { 200: Type.String() } } },
    async (request, reply) => {
      const realm = await realms.get(request.params.realm);
      if (!realm) throw unknownRealm();
      const etag = `"${themeVersion(realm.settings)}"`;
      reply.headers({ etag, "cache-control": "public, max-age=300", "x-content-type-options": "nosniff" });
      if (request.headers["if-none-match"] === etag) return reply.code(304 as 200).send("");
      return reply.type("text/css; charset=utf-8").send(themeCss(realm.settings));
    },
  );
};

/** Not even an answer: nothing is counted. Asking for another code needs none. */
const missingIn = ({ question }: Ask, form: Readonly<Record<string, string>>): string[] =>
  form.resend === undefined ? question.fields.filter((name) => !form[name]) : [];

/** Of a form that may not be valid. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** What was typed is not lost with an answer that did not count. */
function typedInto(signIn: SignIn, { question }: Ask, form: Readonly<Record<string, unknown>>): SignIn {
  if (!question.nameIn) return signIn;
  const text = Object.fromEntries(Object.entries(form).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
  return {
    ...signIn,
    progress: { ...signIn.progress, login: question.nameIn(text).slice(0, 320), remember: text.rememberMe !== undefined },
  };
}

const noRealm = (): never => {
  throw unknownRealm();
};

export type { SignInRequest };
