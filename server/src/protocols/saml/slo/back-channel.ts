import { Counter, type Registry } from "prom-client";
import { type SamlClients, withBackChannelLogout } from "../../../applications/saml-clients/index.ts";
import { MINUTE, SECOND } from "../../../kernel/clock.ts";
import type { Vault } from "../../../kernel/vault.ts";
import type { Db } from "../../../platform/db/index.ts";
import { GiveUp, type JobHandler, sealPlace } from "../../../platform/jobs/index.ts";
import type { Outbound } from "../../../platform/outbound/index.ts";
import * as saml from "../../../platform/saml/index.ts";
import { notifyParticipants } from "../../../signin/sessions/index.ts";
import { signingKeyOf } from "../identity.ts";
import { backChannelLocation, toParticipant } from "./endpoints.ts";
import { logoutRequest, type MessageParts } from "./messages.ts";
import { settleBySession } from "./store.ts";

export const SAML_LOGOUT_JOB = "saml.backchannel_logout";
const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE];

/** Notifies participants on `sessions.ended`. The user's identifiers are sealed, because the job may outlive the session and the user. */
export const notifySamlParticipants = (vault: Vault) =>
  notifyParticipants({
    protocol: "saml",
    kind: SAML_LOGOUT_JOB,
    maxAttempts: WAITS.length + 1,
    reachable: withBackChannelLogout,
    notice: ({ realm, clientId, sessionId, participant }, jobId) => ({
      payload: { entityId: clientId, sessionId },
      sealed: vault.seal(JSON.stringify(participant), sealPlace(realm, jobId)),
    }),
  });

export interface BackChannelParts extends MessageParts {
  readonly db: Db;
  readonly vault: Vault;
  readonly outbound: Outbound;
  readonly samlClients: SamlClients;
  readonly registry: Registry;
  readonly log: { warn(details: object, message: string): void };
}

const HEADERS = { "content-type": "text/xml; charset=utf-8", soapaction: `"${saml.SOAP_ACTION}"` };

/** SAML profiles §4.4 over SOAP: sends one LogoutRequest to one service provider, and retries until it answers. */
export function samlLogoutJob(parts: BackChannelParts): JobHandler {
  const { db, vault, outbound, samlClients, log } = parts;
  const outcomes = new Counter({
    name: "svc_saml_logout_total",
    help: "Logout requests to SAML service providers over SOAP, by what they answered; unreachable once it is given up",
    labelNames: ["outcome"],
    registers: [parts.registry],
  });
  const noticeOf = (payload: Record<string, unknown>) => payload as { readonly entityId: string; readonly sessionId: string };
  return {
    waits: WAITS,
    async run({ id: jobId, realm: realmId, payload, sealed: kept }) {
      const realm = realmId!;
      const { entityId, sessionId } = noticeOf(payload);
      const client = await samlClients.get(realm, entityId);
      const location = client && backChannelLocation(client);
      if (!client || !location || kept === null) return; // it was deleted, disabled, or no longer uses the back channel
      const { id, message } = logoutRequest(parts, realm, toParticipant(JSON.parse(vault.open(kept, sealPlace(realm, jobId)))), location);
      const body = saml.soapEnvelope(await saml.signed(message, await signingKeyOf(parts, realm)));
      const answer = await outbound.fetch(location, { method: "POST", headers: HEADERS, body });
      if (answer.status !== 200) throw new Error(`${entityId} answered ${answer.status} to a logout request`);
      const status = statusOf(answer.body, { entityId, requestId: id, keys: client.verificationKeys });
      const outcome = outcomeOf(status);
      await settleBySession(db, { realm, sessionId, entityId }, outcome === "done" ? "done" : "failed");
      outcomes.inc({ outcome });
      if (outcome === "partial") log.warn({ realm, entityId }, "a SAML service provider could sign the user out only in part");
      // The service provider understood and refused, so a retry is useless.
      if (outcome === "refused") throw new GiveUp(`${entityId} refused the logout request: ${status.subCode ?? status.code}`);
    },
    buried({ realm, payload }) {
      const { entityId, sessionId } = noticeOf(payload);
      outcomes.inc({ outcome: "unreachable" });
      settleBySession(db, { realm: realm!, sessionId, entityId }, "failed").catch((err) =>
        log.warn({ err, realm, entityId }, "could not store that a SAML service provider was not notified of a logout"),
      );
    },
  };
}

interface Answering {
  readonly entityId: string;
  readonly requestId: string;
  readonly keys: Parameters<typeof saml.openLogoutResponse>[1]["keys"];
}

/** SAML bindings §3.2.2: reads the response. A service provider with a certificate signs it; for others TLS has to suffice. */
function statusOf(body: Uint8Array, { entityId, requestId, keys }: Answering): saml.Status {
  const received = saml.readSoap(body);
  if (received.claimedIssuer !== entityId) throw new saml.SamlError("issuer", `${entityId} answered in another name`);
  const { message } = saml.openLogoutResponse(received, { keys, required: keys.length > 0 });
  if (message.inResponseTo !== requestId) throw new saml.SamlError("in_response_to", `${entityId} answered another request`);
  return message.status;
}

function outcomeOf(status: saml.Status): "done" | "partial" | "refused" {
  // The service provider does not know the user, so the user has no session there.
  if (status.subCode === saml.STATUS.unknownPrincipal) return "done";
  if (!saml.isSuccess(status)) return status.subCode === saml.STATUS.partialLogout ? "partial" : "refused";
  return status.subCode === saml.STATUS.partialLogout ? "partial" : "done";
}
