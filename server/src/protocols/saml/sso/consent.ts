import { applicationName } from "../../../applications/saml-clients/index.ts";
import { findConsent, grantConsent } from "../../../directory/consents/index.ts";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import { randomToken, sha256 } from "../../../kernel/vault.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { NewAttribute } from "../../../platform/saml/index.ts";
import { actorOfSession, type LiveSession } from "../../../signin/sessions/index.ts";
import { findRecord, takeRecord, writeRecord } from "../../tokens/index.ts";
import type { SamlParts } from "../parts.ts";
import type { Exchange } from "./decide.ts";
import type { PendingRequest } from "./requests.ts";

/** The user has not allowed the service provider all of these attributes yet. */
export class ConsentNeeded extends Error {
  readonly attributes: readonly NewAttribute[];

  constructor(attributes: readonly NewAttribute[]) {
    super("the user has not allowed it yet");
    this.name = "ConsentNeeded";
    this.attributes = attributes;
  }
}

/** What is remembered are the names of attributes: another value of one needs no new consent, another attribute does. */
export async function assertConsent(
  db: Db,
  { realm: { realmId }, client }: Exchange,
  userId: string,
  attributes: readonly NewAttribute[],
): Promise<void> {
  const consent = await findConsent(db, realmId, userId, applicationName(realmId, client.entityId));
  if (!consent || !attributes.every(({ name }) => consent.scopes.includes(name))) throw new ConsentNeeded(attributes);
}

const MODEL = "SamlConsent";
const LIFETIME = 30 * MINUTE;

/** A request that waits for the answer, and what exactly the user is asked. */
export interface AskedConsent {
  readonly request: PendingRequest;
  /** The session that a sign-in for the request has led to: it need not be repeated after the page. */
  readonly signedIn: string | null;
  readonly userId: string;
  readonly attributes: readonly NewAttribute[];
}

export async function keepConsent(db: Db, realm: string, asked: AskedConsent): Promise<string> {
  const id = randomToken();
  await writeRecord(db, {
    ...{ realm, model: MODEL, recordId: sha256(id), grantId: null, clientId: null, userCode: null },
    payload: { asked },
    expiresAt: clock.now() + LIFETIME,
  });
  return id;
}

const keyOf = (realm: string, id: string) => ({ realm, model: MODEL, recordId: sha256(id) });

/** Null: it was answered already, or is too old. */
export async function findAsked(db: Db, realm: string, id: string): Promise<AskedConsent | null> {
  const record = await findRecord(db, keyOf(realm, id), clock.now());
  return (record?.payload.asked as AskedConsent | undefined) ?? null;
}

/** Of several answers one gets it. */
export async function takeAsked(db: Db, realm: string, id: string): Promise<AskedConsent | null> {
  const record = await takeRecord(db, keyOf(realm, id), clock.now());
  return (record?.payload.asked as AskedConsent | undefined) ?? null;
}

/** The user allows what the page has shown, for good. */
export async function allowConsent(
  { work }: SamlParts,
  realm: string,
  { request, attributes }: AskedConsent,
  session: LiveSession,
  sourceIp: string,
): Promise<void> {
  await work.transact({ realm, actor: actorOfSession(session, realm), sourceIp }, async (ctx) => {
    await grantConsent(
      ctx,
      session.userId,
      applicationName(realm, request.entityId),
      attributes.map(({ name }) => name),
    );
  });
}
