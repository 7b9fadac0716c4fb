import { applicationName } from "../../../applications/saml-clients/index.ts";
import { consentedScopes, grantConsent } from "../../../directory/consents/index.ts";
import { MINUTE } from "../../../kernel/clock.ts";
import type { Db } from "../../../platform/db/index.ts";
import type { NewAttribute } from "../../../platform/saml/index.ts";
import { actorOfSession, type LiveSession } from "../../../signin/sessions/index.ts";
import type { SamlParts } from "../parts.ts";
import { sealedRecords } from "../sealed-records.ts";
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

/** The consent stores the names of attributes: a changed value needs no new consent, another attribute does. */
export async function assertConsent(
  db: Db,
  { realm: { realmId }, client }: Exchange,
  userId: string,
  attributes: readonly NewAttribute[],
): Promise<void> {
  const clientId = applicationName(realmId, client.entityId);
  const allowed = await consentedScopes(db, realmId, { userId, clientId, resource: null });
  if (!allowed || !attributes.every(({ name }) => allowed.includes(name))) throw new ConsentNeeded(attributes);
}

/** A request that waits for the answer, and what exactly the user is asked. */
export interface AskedConsent {
  readonly request: PendingRequest;
  /** The session that a sign-in for the request has led to: it need not be repeated after the page. */
  readonly signedIn: string | null;
  readonly userId: string;
  readonly attributes: readonly NewAttribute[];
}

export const askedConsents = sealedRecords<AskedConsent>("SamlConsent", 30 * MINUTE);

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
      { userId: session.userId, clientId: applicationName(realm, request.entityId), resource: null },
      attributes.map(({ name }) => name),
    );
  });
}
