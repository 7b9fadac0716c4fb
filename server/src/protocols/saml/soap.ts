import type { FastifyReply, FastifyRequest } from "fastify";
import { soapFault } from "../../platform/saml/index.ts";
import { Refusal, type Refusals } from "./refusals.ts";

/** Answers a message over SOAP; one that is refused gets the same fault, whatever was wrong with it. */
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
    // SOAP 1.1 §6.2 says 500; but then malformed messages would raise the alarms for faults of this server.
    return reply.code(400).send(soapFault("Client", "The message was not accepted"));
  }
}
