import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock, MINUTE } from "../../../kernel/clock.ts";
import { defineErrors } from "../../../kernel/errors.ts";
import { systemActor } from "../../../platform/context.ts";
import { anonymous } from "../../../platform/http/index.ts";
import {
  postFields,
  type ReceivedMessage,
  readPost,
  readRedirect,
  readSoap,
  redirectUrl,
  signed,
  soapEnvelope,
  soapFault,
} from "../../../platform/saml/index.ts";
import type { UnitOfWork } from "../../../platform/unit-of-work.ts";
import { type ProviderSnapshot, providerErrors, UpstreamError } from "../../identity-providers/index.ts";
import { endSession } from "../../sessions/index.ts";
import { type BrokerParts, samlBrokerOf } from "../parts.ts";
import type { SamlBroker } from "./broker.ts";
import { sessionsMeantBy } from "./logout.ts";
import { refusing } from "./open.ts";

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}
export interface ProviderLogoutParts {
  readonly brokers: BrokerParts;
  readonly work: UnitOfWork;
  /** The page that posts the answer. */
  showForm(exchange: Exchange, hop: { readonly name: string; readonly location: string; readonly form: Record<string, string> }): unknown;
  goTo(reply: FastifyReply, path: string): never;
}

export const sloErrors = defineErrors("broker_logout", {
  refused: [400, "The provider's logout message was not accepted: sign out here to be sure"],
});

const tags = ["Protocol"];
const params = Type.Object({ realm: Type.String(), alias: Type.String({ maxLength: 63 }) });
const page = (description: string) => Type.String({ description });
const LIMIT = { relayStateBytes: 2048 };
const BODY_LIMIT = 128 * 1024;

/** What is left to do after a LogoutRequest that was posted: sealed, in an address. */
interface Done {
  readonly id: string;
  readonly count: number;
  readonly relayState: string | null;
  readonly until: number;
}

/** Mounted under /realms/:realm. Logouts that a SAML identity provider asks for, and its answers to those that went on there. */
export const providerLogoutRoutes: FastifyPluginAsyncTypebox<ProviderLogoutParts> = async (app, parts) => {
  const { brokers, work, showForm, goTo } = parts;
  const { tools } = brokers;
  app.addContentTypeParser(["text/xml", "application/soap+xml"], { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (_request, body, done) =>
    done(null, body),
  );

  const find = async (realm: string, alias: string) => {
    const provider = (await brokers.providers.get(realm))?.byAlias.get(alias);
    const broker = provider?.enabled ? samlBrokerOf(provider.protocol) : null;
    if (!provider || !broker) throw providerErrors.not_found();
    return { provider, broker };
  };

  /** Ends what the message means, and nothing else. */
  async function end({ request }: Pick<Exchange, "request">, read: () => Promise<ReceivedMessage> | ReceivedMessage) {
    const { alias } = request.params as { alias: string };
    const { provider, broker } = await find(request.realmId, alias);
    const { realm } = provider;
    const asked = await refusing(async () => broker.logout.read(provider, await read(), tools));
    const actor = systemActor(realm, `identity provider ${alias}`);
    const count = await work.transact({ realm, actor, sourceIp: request.ip }, async (ctx) => {
      const sessions = await sessionsMeantBy(ctx, tools.saml, provider, asked);
      for (const sessionId of sessions ?? []) await endSession(ctx, sessionId, { askedBy: alias });
      return sessions?.length ?? null;
    });
    if (count === null) throw new UpstreamError("replay", "The LogoutRequest was used before.");
    return { provider, broker, answered: { id: asked.id, count } };
  }

  const refused = async ({ request }: Pick<Exchange, "request">, error: unknown) => {
    if (!(error instanceof UpstreamError)) throw error;
    const { alias } = request.params as { alias: string };
    const { provider } = await find(request.realmId, alias);
    tools.log.warn(
      { err: error, realm: request.realmId, alias, reason: error.reason },
      "a logout message of an identity provider was refused",
    );
    await brokers.failed(work, provider, error.reason, request.ip);
    throw sloErrors.refused(error);
  };

  async function answer(
    exchange: Exchange,
    provider: ProviderSnapshot,
    broker: SamlBroker,
    done: Pick<Done, "id" | "count" | "relayState">,
  ) {
    const { slo, message, key } = await broker.logout.respond(provider, done, tools);
    const { relayState } = done;
    if (!slo) return goTo(exchange.reply, `/realms/${provider.realm}/login?signed_out`);
    if (slo.binding === "redirect")
      return goTo(exchange.reply, await redirectUrl({ location: slo.responseLocation, message, relayState, key }));
    const form = postFields(await signed(message, key), relayState);
    return showForm(exchange, { name: provider.displayName, location: slo.responseLocation, form }) as never;
  }

  /** The session here was over before the browser left: its answer decides nothing. `state` says which browser goes on, and where. */
  const goOn = ({ request, reply }: Exchange, state: unknown) => {
    const { realm, alias } = request.params as { realm: string; alias: string };
    const query = new URLSearchParams(typeof state === "string" ? { state: state.slice(0, 128) } : {});
    return goTo(reply, `/realms/${realm}/broker/${encodeURIComponent(alias)}/endpoint/logout_response?${query}`);
  };

  const place = ({ realm, providerId }: ProviderSnapshot) => ({
    realm,
    table: "broker_answers",
    column: "sealed",
    row: `logout ${providerId}`,
  });

  app.get(
    "/broker/:alias/slo",
    {
      config: { limit: "samlMessages" },
      schema: {
        summary: "Single logout by an identity provider, by the Redirect binding (SAML 2.0)",
        description: "LogoutRequests have to be signed; they end the sessions that came by the NameID and SessionIndex that they name.",
        tags,
        params,
        response: {
          200: page("A page that posts the answer to the provider"),
          303: Type.Null({ description: "To the provider, with the answer" }),
          400: page("The message was refused"),
        },
      },
    },
    async (request, reply) => {
      const exchange = { request, reply };
      const query = request.query as Record<string, unknown>;
      if (query.SAMLResponse !== undefined) return goOn(exchange, query.RelayState);
      if (typeof query.done === "string") {
        const { provider, broker } = await find(request.realmId, request.params.alias);
        const done = opened(provider, query.done);
        if (!done) throw sloErrors.refused();
        return (await answer(exchange, provider, broker, done)) as never;
      }
      const [, raw = ""] = /\?(.*)$/s.exec(request.raw.url ?? "") ?? [];
      try {
        let relayState: string | null = null;
        const { provider, broker, answered } = await end(exchange, async () => {
          const received = await readRedirect(raw, LIMIT);
          relayState = received.relayState;
          return received;
        });
        return (await answer(exchange, provider, broker, { ...answered, relayState })) as never;
      } catch (error) {
        return refused(exchange, error);
      }
    },
  );

  function opened(provider: ProviderSnapshot, sealed: string): Done | null {
    try {
      const done = JSON.parse(tools.saml.vault.open(sealed, place(provider))) as Done;
      return done.until > clock.now() ? done : null;
    } catch {
      return null;
    }
  }

  app.post(
    "/broker/:alias/slo",
    {
      config: { caller: anonymous(), csrf: "none", limit: "samlMessages" },
      schema: {
        summary: "Single logout by an identity provider, by the POST binding and over SOAP (SAML 2.0)",
        description: "A form is answered by way of the same address by GET; a SOAP envelope with a LogoutResponse.",
        consumes: ["application/x-www-form-urlencoded", "text/xml"],
        tags,
        params,
        response: {
          200: page("A SOAP envelope with a LogoutResponse"),
          303: Type.Null({ description: "To the same address by GET" }),
          400: page("A page, or a SOAP fault: the message was refused"),
        },
      },
    },
    async (request, reply) => {
      const exchange = { request, reply };
      const { body } = request;
      if (Buffer.isBuffer(body)) return bySoap(exchange, body) as never;
      const form = (body ?? {}) as Record<string, unknown>;
      if (form.SAMLResponse !== undefined) return goOn(exchange, form.RelayState);
      try {
        const { provider, answered } = await end(exchange, () => readPost(form, LIMIT));
        const relayState = typeof form.RelayState === "string" ? form.RelayState : null;
        const done = tools.saml.vault.seal(JSON.stringify({ ...answered, relayState, until: clock.now() + 2 * MINUTE }), place(provider));
        const at = `/realms/${request.realmId}/broker/${encodeURIComponent(request.params.alias)}/slo`;
        return goTo(reply, `${at}?${new URLSearchParams({ done })}`);
      } catch (error) {
        return refused(exchange, error);
      }
    },
  );

  async function bySoap({ request, reply }: Exchange, body: Buffer) {
    reply.header("cache-control", "no-store").type("text/xml; charset=utf-8");
    try {
      const { provider, broker, answered } = await end({ request }, () => readSoap(body));
      const { message, key } = await broker.logout.respond(provider, answered, tools);
      return soapEnvelope(await signed(message, key));
    } catch (error) {
      await refused({ request }, error).catch((problem) => {
        if (!(error instanceof UpstreamError)) throw problem;
      });
      return reply.code(400).send(soapFault("Client", "The message was not accepted"));
    }
  }
};
