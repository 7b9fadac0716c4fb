import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Clients } from "../../applications/clients/index.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { Ctx } from "../../platform/context.ts";
import { asAppError, logFailure, sendProblem } from "../../platform/http/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { SignInRequest } from "../authenticators/index.ts";
import type { Challenge } from "../challenges/index.ts";
import { startInteraction } from "../interactions/index.ts";
import { createVisitors, type Visitor, type VisitorParts } from "../login/index.ts";
import { type Locale, messageKindOf, messagesOf, renderMessage, sendPage, type WaitingScreen } from "../pages/index.ts";
import { stranger } from "../passwords/index.ts";
import { CSRF_HEADER, factorOf, type LiveSession } from "../sessions/index.ts";
import { type Device, findDevice, firstEnrolledAt, markDeviceUsed } from "./devices.store.ts";
import { deviceErrors } from "./errors.ts";
import { deviceNamedIn, readProof } from "./keys.ts";

export interface EntranceParts extends VisitorParts {
  readonly work: UnitOfWork;
  readonly clients: Clients;
  readonly baseUrl: string;
}

export interface DeviceProof {
  readonly device: Device;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How those come in who answer on another screen than the one that waits: with a session, or with the proof of an enrolled device. */
export function createEntrance(parts: EntranceParts) {
  const { db, csrf, cookies, work, clients, baseUrl } = parts;
  const visitors = createVisitors(parts);

  const deviceJws = ({ headers }: FastifyRequest) => /^Device +([A-Za-z0-9._-]+)$/i.exec(headers.authorization ?? "")?.[1];
  const isDevice = ({ headers }: FastifyRequest) => /^device(\s|$)/i.test(headers.authorization ?? "");
  /** Programs say what they want; browsers take a page. */
  const wantsJson = (request: FastifyRequest) =>
    isDevice(request) || (/\bjson\b/.test(request.headers.accept ?? "") && !/text\/html/.test(request.headers.accept ?? ""));

  /** Null: it comes with a session, or with nothing. Signed for this very address: what was meant for another is worth nothing here. */
  const proofOf = async (request: FastifyRequest, realm: string): Promise<DeviceProof | null> => {
    if (!isDevice(request)) return null;
    const jws = deviceJws(request) ?? "";
    const device = await findDevice(db, realm, deviceNamedIn(jws) ?? "");
    const audience = baseUrl + request.url.split("?", 1)[0];
    const payload = device && (await readProof(device.key, jws, { typ: "gatehouse-device+jwt", audience }));
    if (!device || !payload) throw deviceErrors.bad_device();
    return { device, payload };
  };

  const hasToken = (request: FastifyRequest, visitor: Visitor): boolean => {
    const sent = request.headers[CSRF_HEADER];
    return (
      visitors.hasToken(request, visitor) || csrf.accepts(cookies.csrf(request), Array.isArray(sent) ? undefined : sent, visitor.binding)
    );
  };

  /** Signs in, or in again, and comes back. */
  const toSignIn = async (request: FastifyRequest, reply: FastifyReply, { realm, preSession }: Visitor, asked: SignInRequest = {}) => {
    const origin = { realm: realm.realmId, actor: stranger(realm.realmId, ""), sourceIp: request.ip };
    const returnTo = request.url.split("?", 1)[0]!.replace(/\/(approve|deny|confirm|sign|decline)$/, "");
    const id = await work.transact(origin, (ctx) =>
      startInteraction(ctx, { kind: "device", browser: preSession, request: { ...asked }, returnTo }),
    );
    const path = `/realms/${realm.realmId}/login?${new URLSearchParams({ interaction: id })}`;
    return reply.header("cache-control", "no-store").redirect(path, 303);
  };

  const screenOf = async (realm: string, challenge: Challenge, locale: Locale): Promise<WaitingScreen> => ({
    client: challenge.clientId === null ? null : ((await nameOf(realm, challenge.clientId)) ?? challenge.clientId),
    sourceIp: challenge.sourceIp,
    userAgent: challenge.userAgent,
    time: timeText(challenge.createdAt, locale),
  });
  const nameOf = async (realm: string, clientId: string) => (await clients.get(realm, clientId))?.name ?? null;

  const showFailure = async (cause: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const error = asAppError(cause);
    if (wantsJson(request)) {
      logFailure(request, error);
      return sendProblem(reply, request, error);
    }
    const said = SAID[error.code];
    if (!said) return visitors.showFailure(cause, request, reply);
    const visitor = await visitors.visitorOf(request, reply);
    const frame = visitors.frameOf(request, reply, visitor);
    const html = renderMessage({
      ...frame,
      kind: messageKindOf(error.status),
      text: messagesOf(frame.locale)[said],
    });
    return sendPage(reply, error.status, html, { logoUrl: visitor.realm.settings.logoUrl });
  };

  return { visitors, wantsJson, proofOf, hasToken, toSignIn, screenOf, nameOf, showFailure };
}

export type Entrance = ReturnType<typeof createEntrance>;

const SAID: Readonly<Record<string, "deviceSameText" | "deviceWeakText" | "deviceNotYouText">> = {
  "devices.same_browser": "deviceSameText",
  "devices.weak_session": "deviceWeakText",
  "devices.impersonated": "deviceNotYouText",
};

/** It answers in this transaction; not if it was removed meanwhile. */
export async function useDevice(ctx: Ctx, device: Device): Promise<void> {
  if (!(await markDeviceUsed(ctx.tx, ctx.realm, device, ctx.now))) throw deviceErrors.bad_device();
}

/** Of a page that is shown in the language that its address asks for. */
export const PageQuery = Type.Object({ lang: Type.Optional(Type.String({ maxLength: 35, description: "Of the page" })) });

/** In UTC: the phone may be in another place than the screen. */
export const timeText = (at: number, locale: Locale): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" }).format(at).concat(" UTC");

/** The screen that waits cannot answer itself, and nobody answers for somebody else. */
export function assertOtherScreen(session: LiveSession, preSessions: readonly string[], challenge: Challenge): void {
  if (session.impersonator !== null) throw deviceErrors.impersonated();
  const isSame = challenge.sessionId === session.sessionId || preSessions.some((id) => challenge.browserHash === sha256(id));
  if (isSame) throw deviceErrors.same_browser();
}

/**
 * A second factor cannot be given by what the first one opens: a session that a password alone began counts only if it is older than the
 * user's first device, when nothing more could be asked for.
 */
export async function assertStrong(db: EntranceParts["db"], realm: string, session: LiveSession): Promise<void> {
  if (factorOf(session.amr) !== "knowledge") return;
  const enrolledAt = await firstEnrolledAt(db, realm, session.userId);
  if (enrolledAt === null || session.authTime >= enrolledAt) throw deviceErrors.weak_session();
}
