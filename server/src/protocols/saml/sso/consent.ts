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

/** The error if the user has not allowed the service provider all of these attributes yet. */
export class ConsentNeeded extends Error {
  readonly attributes: readonly NewAttribute[];

  constructor(attributes: readonly NewAttribute[]) {
    super("the user has not allowed it yet");
    this.name = "ConsentNeeded";
    this.attributes = attributes;
  }
}

/** Requires consent to the names of the attributes. A changed value needs no new consent, but another attribute does. */
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

/** A request that waits for consent, and the attributes that the page shows. */
export interface AskedConsent {
  readonly request: PendingRequest;
  /** The session that a sign-in for the request led to. The sign-in is not repeated after the page. */
  readonly signedIn: string | null;
  readonly userId: string;
  readonly attributes: readonly NewAttribute[];
}

export const askedConsents = sealedRecords<AskedConsent>("SamlConsent", 30 * MINUTE);

/** Stores the user's consent to the attributes that the page has shown. */
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
