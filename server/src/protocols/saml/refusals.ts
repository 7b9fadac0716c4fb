import type { FastifyReply, FastifyRequest } from "fastify";
import type { SamlClientSnapshot, SamlClients } from "../../applications/saml-clients/index.ts";
import { defineErrors } from "../../kernel/errors.ts";
import { createFloodGate } from "../../kernel/flood-gate.ts";
import { cut } from "../../kernel/text.ts";
import { type Actor, anonymousActor } from "../../platform/context.ts";
import { SamlError, type SamlReason, soapFault } from "../../platform/saml/index.ts";
import { requestSource } from "../../platform/unit-of-work.ts";
import type { SamlParts } from "./parts.ts";

/** The reasons for refusing a message or a sign-in, besides those of platform/saml. */
export type RefusalReason =
  | SamlReason
  | "unknown_client"
  | "disabled_client"
  | "acs"
  | "replay"
  | "idp_initiated_off"
  | "encryption_certificate"
  | "access_denied"
  | "authn_failed"
  | "authn_context"
  | "name_id_policy"
  | "unknown_principal"
  | "session_ended";

export const samlErrors = defineErrors("saml", {
  denied: [403, "The user may not use this application"],
  refused: [400, "The application's request was not accepted: go back to the application and start again"],
});

/** A refusal that is answered with the generic page. `message` is for the audit trail. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly entityId: string | null;

  constructor(reason: RefusalReason, message: string, entityId: string | null = null) {
    super(message);
    this.name = "Refusal";
    this.reason = reason;
    this.entityId = entityId;
  }
}

/** Reads a message of the peer. Converts errors of platform/saml to refusals that name the peer. */
export async function inNameOf<T>(entityId: string | null, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SamlError) throw new Refusal(error.reason, error.message, entityId);
    throw error;
  }
}

export interface Refusals {
  /**
   * Records a refusal as SAML_LOGIN with outcome FAILURE. Only the first ones in a minute are recorded, but all are counted. Without an
   * actor, the event names the claimed service provider, which may be unknown.
   */
  record(
    request: Pick<FastifyRequest, "realmId" | "ip" | "id">,
    refusal: Pick<Refusal, "reason" | "message" | "entityId">,
    actor?: Actor | null,
  ): Promise<void>;
}

export function createRefusals({ work, metrics, log }: Pick<SamlParts, "work" | "metrics" | "log">): Refusals {
  const isRecorded = createFloodGate();
  return {
    async record(request, { reason, message, entityId }, actor) {
      const { realmId: realm } = request;
      metrics.samlLogin(realm, "failure");
      if (!isRecorded(realm)) return;
      const shown = entityId === null ? null : storable(entityId);
      try {
        await work.transact(
          { realm, actor: actor ?? anonymousActor(realm, shown ?? "anonymous"), ...requestSource(request) },
          async (ctx) =>
            ctx.audit({
              ...{
                category: "AUTHN",
                type: "SAML_LOGIN",
                outcome: "FAILURE",
                detail: storable(`${reason}: ${message}`, 200),
              },
              ...(shown !== null && { resourceType: "saml-clients", resourceId: shown }),
            }),
        );
      } catch (err) {
        log.warn({ err, realm, reason }, "could not record that a SAML message was refused");
      }
    },
  };
}

/** Makes a text storable and short, because it comes from a message that was not verified. */
const storable = (text: string, most = 255): string => cut(text.toWellFormed().replaceAll("\u0000", ""), most);

/** Answers a message over SOAP. Every refused message gets the same fault, whatever the reason. */
export async function answerSoap(
  refusals: Refusals,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  answer: () => Promise<string>,
) {
  reply.header("cache-control", "no-store").type("text/xml; charset=utf-8");
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await refusals.record(request, error);
    // SOAP 1.1 §6.2 requires 500, but then malformed messages would raise the alarms for errors of this server.
    return reply.code(400).send(soapFault());
  }
}

/** Returns a registered service provider that is enabled. */
export async function clientOf(
  { samlClients }: { readonly samlClients: SamlClients },
  realm: string,
  entityId: string | null,
): Promise<SamlClientSnapshot> {
  if (entityId === null) throw new Refusal("issuer", "The message does not say who sent it");
  const client = await samlClients.get(realm, entityId);
  if (!client) throw new Refusal("unknown_client", "No such service provider is registered", entityId);
  if (!client.enabled) throw new Refusal("disabled_client", "The service provider is disabled", entityId);
  return client;
}
