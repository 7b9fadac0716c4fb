import type { FastifyInstance, FastifyRequest } from "fastify";
import Type from "typebox";
import type { Clients } from "../../applications/clients/index.ts";
import { type SamlClients, samlClientName } from "../../applications/saml-clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import { sha256 } from "../../kernel/vault.ts";
import type { WaitingScreen } from "../../pages/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Challenge } from "../authenticators/index.ts";
import type { PageParts } from "../login/index.ts";
import type { Standings } from "../run/index.ts";
import { factorOf, type LiveSession } from "../sessions/index.ts";
import { type Device, devicesOf, markDeviceUsed } from "./devices.store.ts";
import { deviceErrors } from "./errors.ts";

export interface DevicePageParts extends PageParts, Applications {}

/** The applications of all realms, of both protocols. */
export interface Applications {
  readonly clients: Clients;
  readonly samlClients: SamlClients;
}

export const params = Type.Object({ realm: Type.String(), id: Type.String() });
export const consumes = ["application/x-www-form-urlencoded", "application/json"];

/** Accepts forms of our pages, and JSON of apps, which send no body if they have nothing to add. */
export function takesForms(app: FastifyInstance): void {
  app.removeContentTypeParser("text/plain");
  app.addHook("preValidation", async (request) => {
    if (request.method === "POST") request.body ??= {};
  });
}

/** Creates the functions that describe the waiting screen on the phone. */
export function createScreens({ clients, samlClients }: Applications) {
  const screenOf = async (realm: string, challenge: Challenge): Promise<WaitingScreen> => ({
    client: challenge.clientId === null ? null : ((await nameOf(realm, challenge.clientId)) ?? challenge.clientId),
    sourceIp: challenge.sourceIp,
    userAgent: challenge.userAgent,
    time: { at: challenge.createdAt, now: clock.now() },
  });
  const nameOf = async (realm: string, clientId: string): Promise<string | null> => {
    const client = await clients.get(realm, clientId);
    if (client) return client.name;
    const saml = await samlClients.get(realm, clientId);
    return saml && samlClientName(saml);
  };

  return { screenOf, nameOf };
}

/** Records in this transaction that the device answers. Refuses if it was removed. */
export async function useDevice(ctx: Ctx, device: Device): Promise<void> {
  if (!(await markDeviceUsed(ctx.tx, ctx.realm, device, ctx.now))) throw deviceErrors.bad_device();
}

/** The query of a page whose address names its language. */
export const PageQuery = Type.Object({ lang: Type.Optional(Type.String({ maxLength: 35, description: "The content of the page" })) });

/** Refuses an answer by the screen that waits. */
export function assertOtherScreen(session: LiveSession, preSessions: readonly string[], challenge: Challenge): void {
  const isSame = challenge.sessionId === session.sessionId || preSessions.some((id) => challenge.browserHash === sha256(id));
  if (isSame) throw deviceErrors.same_browser();
}

export interface PushPageParts extends DevicePageParts {
  /** Judges whether a session is sufficient for a request. */
  readonly standings: Standings;
}

/**
 * Refuses a session that is too weak to give a second factor. The session must have proven what the realm's own flow asks of its user. A
 * session that a password or a provider alone began counts only if it is older than the user's first device, when no more could be asked
 * for, and if the user has no other second factor.
 */
export async function assertStrong(
  { db, standings }: Pick<PushPageParts, "db" | "standings">,
  { realm, visitor: { session: known, deviceToken }, ip, headers }: FastifyRequest,
): Promise<void> {
  const session = known!;
  if (factorOf(session.amr) === "knowledge") {
    const { firstAt } = await devicesOf(db, realm.realmId, session.userId);
    const { credentials } = session.user;
    if (firstAt === null || session.authTime >= firstAt || credentials.has("totp") || credentials.has("passkey"))
      throw deviceErrors.weak_session();
    return;
  }
  const from = { sourceIp: ip, userAgent: headers["user-agent"] ?? null, deviceToken };
  if ((await standings(realm, session, from)) === "proof") throw deviceErrors.weak_session();
}
