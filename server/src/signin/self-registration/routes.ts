import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { clock } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { RegistrationForm } from "../../pages/index.ts";
import { anonymousActor } from "../../platform/context.ts";
import { browser, declare, field, page, redirect, route } from "../../platform/http/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import { confirmsFirst } from "../../tenancy/settings/index.ts";
import { loginPath, seeOther, type Visitor } from "../login/index.ts";
import { askedAtRegistration, faultIn, typedIn as typedAttributes } from "../own-profile/index.ts";
import { readInteraction, startInteraction } from "../run/index.ts";
import { wayBack } from "../self-service/index.ts";
import { confirmRoutes } from "./confirm.routes.ts";
import { createRegistrationPages } from "./pages.tsx";
import { faultOf, mismatch, problemOf, type Refusal, stale } from "./refusals.ts";
import * as service from "./service.ts";

const carried = { interaction: field(64), return_to: field(2048), lang: field(35) };
const RegisterQuery = Type.Object({ ...carried, from: field(64, "A registration in this browser, whose values are shown again") });
const RegisterForm = Type.Object(
  {
    _csrf: field(512, "The value of the cookie XSRF-TOKEN; 403 without it"),
    username: field(1024),
    email: field(1024),
    firstName: field(1024),
    lastName: field(1024),
    newPassword: field(8192),
    newPasswordAgain: field(8192),
    ...carried,
  },
  { $id: "RegisterForm", additionalProperties: Type.String({ maxLength: 4096 }) },
);

/** Mounted under /realms/:realm. */
export const selfRegistrationRoutes: FastifyPluginAsyncTypebox<service.SelfRegistrationParts> = async (app, parts) => {
  const { work, visitors } = parts;
  const { showForm } = createRegistrationPages(visitors);
  declare(app, { tags: ["Sign-in"], caller: browser(), csrf: "sign-in-form", errors: "page" });

  route(app, "GET", "/register", {
    summary: "Show the registration page",
    querystring: RegisterQuery,
    response: { 200: page("The page"), 403: page("The realm does not allow registration") },
    handler: async (request, reply) => {
      const { visitor } = request;
      const reason = await service.whyClosed(parts, visitor.realm);
      if (reason) return visitors.showMessageBeforeSignIn(request, reply, 403, reason);
      const { returnTo: _, ...origins } = await wayBack(parts, visitor, request.query);
      const typed = await typedBefore(parts, visitor, request.query.from);
      return showForm(request, reply, { typed, status: 200, ...origins });
    },
  });

  route(app, "POST", "/register", {
    config: {
      limit: ["signIns", "registrations"],
      onStale: (request, reply) => showForm(request, reply, { typed: typedIn(request), ...stale }),
    },
    summary: "Create an account",
    description:
      "Redirects to the page that waits for the mailed code or, if the realm does not verify addresses, to the sign-in. 400 with the " +
      "page if a value is not accepted, 409 if the username is taken.",
    body: RegisterForm,
    response: {
      303: redirect("Redirects to the next page"),
      400: page("A value was not accepted"),
      403: page("The CSRF token is missing or stale, or registration is disabled"),
      409: page("The username is already taken"),
    },
    handler: async (request, reply) => {
      const { visitor } = request;
      const { realm, preSession } = visitor;
      const typed = typedIn(request);
      const { returnTo, ...origins } = await wayBack(parts, visitor, request.body);
      const refuse = (refusal: Refusal) => showForm(request, reply, { typed, ...refusal, ...origins });
      const reason = await service.whyClosed(parts, visitor.realm);
      if (reason) return visitors.showMessageBeforeSignIn(request, reply, 403, reason);
      const { registration } = realm.settings;
      const { newPassword = "", newPasswordAgain } = request.body;
      const applicant = { ...typed, username: registration.emailAsUsername ? typed.email : typed.username };
      const asked = askedAtRegistration(realm.settings);
      const misfit = faultIn(realm.settings.userProfile, asked, typedAttributes(asked, request.body));
      const isTypedTwice = newPasswordAgain === undefined || newPassword === newPasswordAgain;
      const fault = faultOf(applicant, registration, misfit) ?? (isTypedTwice ? null : mismatch);
      if (fault) return refuse(fault);

      const origin = { realm: realm.realmId, actor: anonymousActor(realm.realmId, applicant.username), ...requestSource(request) };
      const locale = visitors.localeOf(request, realm);
      const flows = (await parts.flows.get(realm.realmId))!;
      const answered = await register().catch(problemOf);
      return typeof answered === "string" ? seeOther(reply, answered) : refuse(answered);

      async function register(): Promise<string> {
        const hash = await service.prepareAccount(parts, realm, applicant, newPassword);
        const browser = { kind: "login", browser: preSession, returnTo };
        return work.transact(origin, async (ctx) => {
          if (confirmsFirst(registration)) {
            const pending = { ...applicant, hash, browserHash: sha256(preSession), way: { returnTo, ...origins } };
            const mailed = await service.applyByMail(ctx, parts, realm, pending, locale);
            const id = await startInteraction(ctx, {
              ...browser,
              kind: "registration",
              request: { email: applicant.email, typed, asked: visitors.carried(request), ...origins },
              state: { mailed },
            });
            return `/realms/${realm.realmId}/register/${id}`;
          }
          const userId = await service.createAccount(ctx, realm, { ...applicant, hash }, { emailVerified: false });
          service.notifyOwnerLater(ctx, parts, realm, applicant.email, locale);
          const state = { ...service.registeredProgress(flows, userId, applicant.username) };
          return loginPath(realm.realmId, await startInteraction(ctx, { ...browser, request: { ...origins }, state }));
        });
      }
    },
  });

  await app.register(confirmRoutes, parts);
};

/** Returns the values of a registration of this browser that still waits for its code, so that they need not be typed again. */
async function typedBefore(
  { db }: service.SelfRegistrationParts,
  { realm, preSessions }: Visitor,
  from: string | undefined,
): Promise<RegistrationForm> {
  if (from === undefined) return nothing;
  const place = { tx: db, realm: realm.realmId, now: clock.now() };
  const before = await readInteraction(place, from, preSessions).catch(() => null);
  return before?.kind === "registration" ? { ...nothing, ...(before.request.typed as Partial<RegistrationForm> | undefined) } : nothing;
}

const nothing: RegistrationForm = { username: "", email: "", firstName: "", lastName: "", attributes: {} };

/** Returns the typed values, to show them again, except passwords. */
function typedIn({ body, realm }: FastifyRequest): RegistrationForm {
  const sent = (body ?? {}) as Readonly<Record<string, unknown>>;
  const member = (name: string) => (typeof sent[name] === "string" ? cut(sent[name].trim(), 320) : "");
  const typed = Object.entries(typedAttributes(askedAtRegistration(realm.settings), sent));
  const attributes = Object.fromEntries(typed.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
  return { username: member("username"), email: member("email"), firstName: member("firstName"), lastName: member("lastName"), attributes };
}
