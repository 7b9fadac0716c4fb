import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { type AttemptPolicy, lowerAttempts, raiseAttempts } from "../../directory/credentials/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { cut } from "../../kernel/text.ts";
import { type DeviceError, renderDevice, sendPage } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { declare, field, page, redirect, route, session as sessionCaller } from "../../platform/http/index.ts";
import { addressSubject } from "../../platform/rate-limit/index.ts";
import { type Origin, requestSource, type UnitOfWork } from "../../platform/unit-of-work.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";
import { issuerFor } from "../gate/index.ts";
import { answer, findDevice, requestedBy } from "./approval.ts";
import {
  confirmationOf,
  type DecoupledRouteParts,
  isRefusedTo,
  missingSignIn,
  needsRecentSignIn,
  OtherAccount,
  sendNoAccess,
} from "./visitors.ts";

/** RFC 8628 §6.1: a code has no vowels, so that it is no word. */
const CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;

/** Normalises a typed code, ignoring dashes, spaces and case. Returns null if it is no code. */
function normaliseUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[^A-Z0-9]/g, "");
  return CODE.test(code) ? code : null;
}

/** Adds the dash, as the device shows the code. */
const spellUserCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

interface CountedBy {
  readonly kind: "address:device" | "user:device";
  readonly subject: string;
  readonly policy: AttemptPolicy;
}

export interface CodeAttempt {
  /** The time until which the user has to wait, or null if the attempt is allowed. */
  readonly retryAt: number | null;
  /** Takes the attempt back, because the code was correct. */
  takeBack(): Promise<void>;
}

/**
 * RFC 8628 §5.1: limits guesses of user codes per user and per address, because the codes are short. Counts before the lookup, and even if
 * a realm has disabled brute-force protection.
 */
async function countCode(
  work: UnitOfWork,
  origin: Origin,
  { settings: { bruteForce } }: RealmSnapshot,
  who: { readonly userId: string; readonly sourceIp: string },
): Promise<CodeAttempt> {
  const policy = { ...bruteForce, growingWaits: false };
  const counters: readonly CountedBy[] = [
    { kind: "address:device", subject: addressSubject(who.sourceIp), policy: { ...policy, maxFailures: bruteForce.maxFailuresPerAddress } },
    { kind: "user:device", subject: who.userId, policy },
  ];
  const retryAt = await work.transact(origin, async (ctx) => {
    const raised: CountedBy[] = [];
    for (const counter of counters) {
      const state = await raiseAttempts(ctx.tx, ctx.realm, counter.kind, counter.subject, counter.policy, ctx.now);
      if (!state.allowed) {
        await lower(ctx, raised);
        return state.retryAt;
      }
      raised.push(counter);
    }
    return null;
  });
  return { retryAt, takeBack: () => work.transact(origin, (ctx) => lower(ctx, counters)) };
}

async function lower(ctx: Ctx, counters: readonly CountedBy[]): Promise<void> {
  for (const { kind, subject } of counters) await lowerAttempts(ctx.tx, ctx.realm, kind, subject);
}

const DeviceForm = Type.Object(
  {
    user_code: Type.String({ maxLength: 64 }),
    decision: field(16, "`allow` or `deny`. Without it, the page asks for the decision"),
    _csrf: field(512, "The value of the cookie XSRF-TOKEN; 403 without it"),
  },
  { $id: "DeviceForm" },
);

interface Entered {
  readonly userCode: string;
  readonly error?: DeviceError;
  readonly retryAfterSeconds?: number;
}

/** Mounted under /realms/:realm: the user types the code that the device shows (RFC 8628 §3.3). */
export const deviceRoutes: FastifyPluginAsyncTypebox<DecoupledRouteParts> = async (app, parts) => {
  const { work, issuers, visitors } = parts;
  declare(app, {
    tags: ["Protocol"],
    caller: sessionCaller({ returnTo: withCode, judged: "by-handler" }),
    csrf: "form",
    errors: "page",
    impersonated: true,
  });
  const here = (realm: string) => `/realms/${realm}/device`;

  const showEnter = (request: FastifyRequest, reply: FastifyReply, status: number, shown: Entered) => {
    const action = here(request.realmId);
    const { retryAfterSeconds, userCode } = shown;
    const frame = visitors.frameAt(request, reply, request.visitor, action, userCode === "" ? {} : { user_code: userCode });
    const csrf = visitors.tokenFor(request, reply, request.visitor);
    const html = renderDevice({ ...frame, state: "enter", csrf, action, ...shown });
    return sendPage(reply, status, html, { ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
  };

  route(app, "GET", "/device", {
    summary: "Show the page to enter the code of a device (RFC 8628 §3.3)",
    description: "The user has to be signed in. A code in the address only fills in the field.",
    querystring: Type.Object({ user_code: field(64), lang: field(35), account: OtherAccount }),
    response: { 200: page("The page"), 303: redirect("Redirects to the sign-in page") },
    handler: async (request, reply) => {
      if (request.query.account === "other")
        return visitors.toSignIn(request, reply, { kind: "page", request: { reauthenticate: true }, returnTo: withCode(request) });
      return showEnter(request, reply, 200, { userCode: codeIn(request) });
    },
  });

  route(app, "POST", "/device", {
    config: { onStale: (request, reply) => showEnter(request, reply, 403, { userCode: "", error: "csrf" }) },
    summary: "Look up and answer a device's request",
    body: DeviceForm,
    response: {
      200: page("The page that asks for the decision, or that shows the outcome"),
      303: redirect("Redirects to the sign-in page"),
      400: page("The code is unknown"),
      403: page("The CSRF token is missing or stale, or the user may not use the client"),
      409: page("The request was already answered"),
      429: page("Too many codes were entered"),
    },
    handler: async (request, reply) => {
      const { realm } = request;
      const session = request.visitor.session!;
      const { user_code: typed, decision } = request.body;
      const again = (status: number, error: DeviceError, retryAfterSeconds?: number) =>
        showEnter(request, reply, status, {
          ...{ userCode: cut(typed, 32), error },
          ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
        });

      const code = normaliseUserCode(typed);
      if (code === null) return again(400, "unknown");
      const origin = { realm: realm.realmId, actor: request.actor!, ...requestSource(request) };
      const attempt = await countCode(work, origin, realm, { userId: session.userId, sourceIp: request.ip });
      if (attempt.retryAt !== null) return again(429, "wait", Math.max(1, Math.ceil((attempt.retryAt - clock.now()) / SECOND)));
      const { parts: ofRealm } = await issuerFor(issuers, request);
      const found = await findDevice(ofRealm, code);
      if (!found) return again(400, "unknown");
      await attempt.takeBack();

      const path = here(realm.realmId);
      const userCode = spellUserCode(code);
      const page = { path, query: { user_code: userCode } };
      const isAllowed = decision === "allow";
      if (decision !== "deny" && (await isRefusedTo(ofRealm, found.client, session, isAllowed)))
        return sendNoAccess(visitors, request, reply, found.client, page);
      const back = `${path}?${new URLSearchParams(page.query)}`;
      const missing = decision === "deny" ? null : await missingSignIn(ofRealm, request, found);
      if (missing) return visitors.toSignIn(request, reply, { kind: "page", request: missing, returnTo: back });
      if (decision !== "allow" && decision !== "deny") {
        const view = { ...(await confirmationOf(visitors, { req: request, reply }, ofRealm, found, page)), userCode };
        return sendPage(reply, 200, renderDevice(view));
      }
      if (isAllowed && (await needsRecentSignIn(ofRealm, session, requestedBy(ofRealm, found.request).scopes)))
        return visitors.toSignIn(request, reply, { kind: "page", request: { recent: true }, returnTo: back });
      const approval = { ...found, parts: ofRealm, model: "DeviceCode", session } as const;
      if (!(await answer(request, approval, isAllowed))) return again(409, "unknown");
      return visitors.showMessage(request, reply, 200, isAllowed ? "device-allowed" : "device-denied");
    },
  });
};

/** Returns the code in the query, formatted as the device shows it. */
function codeIn({ query }: FastifyRequest): string {
  const { user_code: typed } = query as { user_code?: unknown };
  const text = typeof typed === "string" ? typed : "";
  const code = normaliseUserCode(text);
  return code === null ? cut(text, 32) : spellUserCode(code);
}

/** Returns the address that keeps the code in the field after a sign-in. */
function withCode(request: FastifyRequest): string {
  const userCode = codeIn(request);
  return `/realms/${request.realmId}/device${userCode && `?${new URLSearchParams({ user_code: userCode })}`}`;
}
