import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from "fastify";
import Type from "typebox";
import { presentInvitation } from "../../directory/organizations/index.ts";
import { CreateUser, isMailShaped } from "../../directory/users/index.ts";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { cut, loginKey } from "../../kernel/text.ts";
import { refuseBy, refuseDirtyText } from "../../platform/http/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { createVisitors, type Visitor } from "../login/index.ts";
import type { InvitationError } from "../pages/index.ts";
import type { Cookies, Csrf } from "../sessions/index.ts";
import { acceptInvitation, createInvitedAccount, type InvitationPageParts, problemOf } from "./service.ts";
import { createInvitationPages } from "./show.ts";

export interface InvitationRouteParts extends InvitationPageParts {
  readonly realms: RealmSnapshots;
  readonly csrf: Csrf;
  readonly cookies: Cookies;
  /** Refuse an address, and the holder of a link, that post too often. */
  readonly limits: onRequestAsyncHookHandler[];
}

const tags = ["Sign-in"];
const params = Type.Object({ realm: Type.String(), token: Type.String() });
const querystring = Type.Object({ lang: Type.Optional(Type.String({ maxLength: 35 })) });
const _csrf = Type.Optional(Type.String({ maxLength: 512, description: "The value of the cookie XSRF-TOKEN; 403 without it" }));
const page = (description: string) => Type.String({ description });
const answers = {
  403: page("CSRF token missing or stale, or somebody else is signed in"),
  404: page("Unknown, withdrawn or replaced"),
  410: page("Expired or used"),
};

const AcceptForm = Type.Object({ _csrf }, { $id: "AcceptInvitationForm" });
const AccountForm = Type.Object(
  {
    _csrf,
    username: CreateUser.properties.username,
    password: Type.String({ minLength: 1, maxLength: 1024 }),
    passwordAgain: Type.String({ maxLength: 1024 }),
  },
  { $id: "InvitedAccountForm" },
);

/** Told to whoever meets a full queue; it empties within this. */
const OVERLOAD_SECONDS = 2;
/** What `randomToken` makes. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Mounted under /realms/:realm. */
export const invitationPageRoutes: FastifyPluginAsyncTypebox<InvitationRouteParts> = async (app, parts) => {
  const { db, cookies } = parts;
  const visitors = createVisitors(parts);
  const { show } = createInvitationPages({ db, visitors });
  refuseBy(app, "page", visitors.showFailure);
  // These are forms of our own pages; nothing else is taken.
  app.removeContentTypeParser(["application/json", "text/plain"]);

  const present = ({ realm }: Visitor, token: string) =>
    TOKEN.test(token) ? presentInvitation({ tx: db, realm: realm.realmId, now: clock.now() }, token) : Promise.resolve(null);

  /** The page as it is now, for somebody whose step was overtaken. */
  const showAfresh = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor, token: string) =>
    show(request, reply, visitor, token, await present(visitor, token));

  app.get(
    "/invitations/:token",
    {
      schema: {
        summary: "The page of an invitation",
        description: "Behind the link in the mail. It changes nothing.",
        tags,
        params,
        querystring,
        response: { 200: page("The page"), 404: answers[404], 410: answers[410] },
      },
    },
    async (request, reply) => {
      const visitor = await visitors.visitorOf(request, reply);
      if (request.query.lang !== undefined) cookies.setLanguage(reply, visitors.localeOf(request, visitor.realm));
      return showAfresh(request, reply, visitor, request.params.token);
    },
  );

  app.post(
    "/invitations/:token",
    {
      onRequest: parts.limits,
      // Order of refusals: a form without a token that fits is a 403, whatever else is wrong with it.
      attachValidation: true,
      schema: {
        summary: "Accept an invitation",
        description: "For the signed-in user with the invited address. 303 to the page, which then says so.",
        consumes: ["application/x-www-form-urlencoded"],
        tags,
        params,
        body: AcceptForm,
        response: { 303: Type.Null({ description: "Accepted" }), 401: page("Nobody is signed in"), ...answers },
      },
    },
    async (request, reply) => {
      const visitor = await visitors.visitorOf(request, reply);
      const { token } = request.params;
      const { realm, session } = visitor;
      const invitation = await present(visitor, token);
      if (!visitors.hasToken(request, visitor)) return show(request, reply, visitor, token, invitation, { status: 403, error: "csrf" });
      if (!session) return show(request, reply, visitor, token, invitation, { status: 401 });
      if (session.impersonator !== null) return show(request, reply, visitor, token, invitation, { status: 403 });
      const accepted = await acceptInvitation(parts, { realm, token, session, sourceIp: request.ip }).then(() => true, overtaken);
      if (!accepted) return show(request, reply, visitor, token, await present(visitor, token), { status: 403 });
      return seeOther(reply, realm.realmId, token);
    },
  );

  app.post(
    "/invitations/:token/account",
    {
      onRequest: parts.limits,
      attachValidation: true,
      schema: {
        summary: "Create the account that an invitation is for",
        description:
          "Where the invited address has none yet. 303 to the page with the session's cookie; 400 when name or password cannot be " +
          "taken; 409 when the name is somebody's, or the address has an account by now.",
        consumes: ["application/x-www-form-urlencoded"],
        tags,
        params,
        body: AccountForm,
        response: {
          303: Type.Null({ description: "Created, joined and signed in" }),
          400: page("Username or password cannot be taken"),
          409: page("The username is taken"),
          ...answers,
        },
      },
    },
    async (request, reply) => {
      const visitor = await visitors.visitorOf(request, reply);
      const { token } = request.params;
      const { realm, session } = visitor;
      const invitation = await present(visitor, token);
      const sent = (request.body ?? {}) as Partial<typeof request.body>;
      const username = typeof sent.username === "string" ? cut(sent.username, 320) : "";
      const refuse = (status: number, error?: InvitationError, retryAfterSeconds?: number) =>
        show(request, reply, visitor, token, invitation, {
          status,
          username,
          ...(error && { error }),
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        });
      if (!visitors.hasToken(request, visitor)) return refuse(403, "csrf");
      if (invitation?.status !== "open" || session) return refuse(403);
      if (request.validationError) return refuse(400, faultOf(request.validationError));
      refuseDirtyText(request.body);
      if (isMailShaped(username) && loginKey(username) !== loginKey(invitation.email)) return refuse(400, "username-mail");
      const { password, passwordAgain } = request.body;
      if (password !== passwordAgain) return refuse(400, "mismatch");

      const userAgent = request.headers["user-agent"] ?? null;
      const started = await createInvitedAccount(parts, {
        realm,
        token,
        invitation,
        username,
        password,
        sourceIp: request.ip,
        userAgent,
      }).catch((error) => problemOf(error) ?? overtaken(error));
      if (started === false) return showAfresh(request, reply, visitor, token);
      if ("error" in started) return refuse(started.status, started.error, started.error === "overloaded" ? OVERLOAD_SECONDS : undefined);
      visitors.enter(request, reply, visitor, started);
      return seeOther(reply, realm.realmId, token);
    },
  );
};

const seeOther = (reply: FastifyReply, realm: string, token: string) =>
  reply.header("cache-control", "no-store").redirect(`/realms/${realm}/invitations/${token}`, 303) as never;

/** Somebody was faster, or the time was up: the page tells which. */
function overtaken(error: unknown): false {
  if (error instanceof AppError && error.code.startsWith("organizations.invitation_")) return false;
  throw error;
}

/** Which field to point at. */
const faultOf = ({ validation }: { validation?: readonly { instancePath: string; params?: object }[] }) =>
  validation?.some(({ instancePath, params }) => `${instancePath} ${JSON.stringify(params)}`.includes("username"))
    ? "username"
    : "password";
