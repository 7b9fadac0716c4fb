import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { presentInvitation } from "../../directory/organizations/index.ts";
import { CreateUser, isMailShaped } from "../../directory/users/index.ts";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { cut, loginKey } from "../../kernel/text.ts";
import type { InvitationError } from "../../pages/index.ts";
import { declare, field, link, page, redirect, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { type PageParts, seeOther, type Visitor } from "../login/index.ts";
import type { Standings } from "../run/index.ts";
import { acceptInvitation, createInvitedAccount, type InvitationPageParts, problemOf } from "./service.ts";
import { type Refusal, showInvitation } from "./show.ts";

const params = Type.Object({ realm: Type.String(), token: Type.String() });
const querystring = Type.Object({ lang: field(35) });
const _csrf = field(512, "The value of the cookie XSRF-TOKEN; 403 without it");
const answers = {
  403: page("The CSRF token is missing or stale, or another user is signed in"),
  404: page("The invitation is unknown, withdrawn or replaced"),
  410: page("The invitation has expired or was used"),
};

const AcceptForm = Type.Object({ _csrf }, { $id: "AcceptInvitationForm" });
const AccountForm = Type.Object(
  {
    _csrf,
    username: CreateUser.properties.username,
    password: Type.String({ minLength: 1, maxLength: 1024 }),
    passwordAgain: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  { $id: "InvitedAccountForm" },
);

/** The value of `Retry-After` when the queue of the hasher is full. The queue empties within this time. */
const OVERLOAD_SECONDS = 2;
/** The format of `randomToken`. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Mounted under /realms/:realm. */
export const invitationPageRoutes: FastifyPluginAsyncTypebox<InvitationPageParts & PageParts & { readonly standings: Standings }> = async (
  app,
  parts,
) => {
  const { db, visitors } = parts;
  declare(app, { tags: ["Sign-in"], caller: link(), csrf: "form", errors: "page" });

  const present = ({ realm }: Visitor, token: string) =>
    TOKEN.test(token) ? presentInvitation({ tx: db, realm: realm.realmId, now: clock.now() }, token) : Promise.resolve(null);

  /** Shows the current page, also after a concurrent change. */
  const showAfresh = async (request: FastifyRequest, reply: FastifyReply, refusal?: Refusal) => {
    const { token } = request.params as { token: string };
    return showInvitation(parts, { request, reply }, token, await present(request.visitor, token), refusal);
  };
  const limit = ["signIns", "invitation"];

  route(app, "GET", "/invitations/:token", {
    summary: "Show the page of an invitation",
    description: "The address of the link in the mail. It changes nothing.",
    params,
    querystring,
    response: { 200: page("The page"), 404: answers[404], 410: answers[410] },
    handler: async (request, reply) => showAfresh(request, reply),
  });

  route(app, "POST", "/invitations/:token", {
    config: { limit, onStale: (request, reply) => showAfresh(request, reply, { status: 403, error: "csrf" }) },
    summary: "Accept an invitation",
    description: "Needs a sign-in of the user with the invited address. Redirects to the page, which then shows that it was accepted.",
    params,
    body: AcceptForm,
    response: { 303: redirect("Accepted, or redirects to the sign-in page"), 401: page("No user is signed in"), ...answers },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { token } = request.params;
      const { realm, session } = visitor;
      if (!session) return showAfresh(request, reply, { status: 401 });
      if (session.impersonator !== null) return showAfresh(request, reply, { status: 403 });
      // An organization gives roles, so the session has to be sufficient for its user as on any page that declares `session()`.
      const from = { sourceIp: request.ip, userAgent: request.headers["user-agent"] ?? null, deviceToken: visitor.deviceToken };
      if ((await parts.standings(realm, session, from)) !== "enough")
        return visitors.toSignIn(request, reply, { kind: "page", request: {}, returnTo: pathOf(realm.realmId, token) });
      const accepted = await acceptInvitation(parts, { realm, token, session, from: requestSource(request) }).then(() => true, overtaken);
      return accepted ? seeOther(reply, pathOf(realm.realmId, token)) : showAfresh(request, reply, { status: 403 });
    },
  });

  route(app, "POST", "/invitations/:token/account", {
    config: {
      limit,
      onStale: (request, reply) => showAfresh(request, reply, { status: 403, error: "csrf", username: usernameIn(request.body) }),
    },
    // The page points at the field.
    attachValidation: true,
    summary: "Create the account of an invited person",
    description:
      "Creates the account of an invited address that has none yet, and redirects to the page with the session's cookie. 400 if name or password is not " +
      "accepted, 409 if the username is taken or the address already has an account.",
    params,
    body: AccountForm,
    response: {
      303: redirect("The account was created, joined the organization and is signed in"),
      400: page("The username or password was not accepted"),
      409: page("The username is already taken"),
      ...answers,
    },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { token } = request.params;
      const { realm, session } = visitor;
      const invitation = await present(visitor, token);
      const username = usernameIn(request.body);
      const refuse = (status: number, error?: InvitationError, retryAfterSeconds?: number) =>
        showInvitation(parts, { request, reply }, token, invitation, {
          ...{ status, username, ...(error && { error }) },
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        });
      if (invitation?.status !== "open" || session) return refuse(403);
      if (request.validationError) return refuse(400, faultOf(request.validationError));
      if (isMailShaped(username) && loginKey(username) !== loginKey(invitation.email)) return refuse(400, "username-mail");
      const { password, passwordAgain } = request.body;
      if (passwordAgain !== undefined && password !== passwordAgain) return refuse(400, "mismatch");

      const from = { from: requestSource(request), userAgent: request.headers["user-agent"] ?? null };
      const account = { realm, token, invitation, username, password, ...from };
      const started = await createInvitedAccount(parts, account).catch((error) => problemOf(error) ?? overtaken(error));
      if (started === false) return showAfresh(request, reply);
      if ("error" in started) return refuse(started.status, started.error, started.error === "overloaded" ? OVERLOAD_SECONDS : undefined);
      visitors.enter(request, reply, visitor, started);
      return seeOther(reply, pathOf(realm.realmId, token));
    },
  });
};

const pathOf = (realm: string, token: string) => `/realms/${realm}/invitations/${token}`;

/** Handles the case that another request was faster, or that the invitation expired. The page says which. */
function overtaken(error: unknown): false {
  if (error instanceof AppError && error.code.startsWith("organizations.invitation_")) return false;
  throw error;
}

function usernameIn(body: unknown): string {
  const { username } = (body ?? {}) as { username?: unknown };
  return typeof username === "string" ? cut(username, 320) : "";
}

/** Returns the field of the error. */
const faultOf = ({ validation }: { validation?: readonly { instancePath: string; params?: object }[] }) =>
  validation?.some(({ instancePath, params }) => `${instancePath} ${JSON.stringify(params)}`.includes("username"))
    ? "username"
    : "password";
