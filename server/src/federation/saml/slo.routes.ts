import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyReply, FastifyRequest } from "fastify";
import Type from "typebox";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { defineErrors } from "../../kernel/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { anonymous, route } from "../../platform/http/index.ts";
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
} from "../../platform/saml/index.ts";
import { requestSource, type UnitOfWork } from "../../platform/unit-of-work.ts";
import { type BrokerParts, samlBrokerOf } from "../brokers/parts.ts";
import { UpstreamError } from "../oidc/metadata.ts";
import { providerErrors } from "../providers/errors.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { SamlBroker } from "./broker.ts";
import { type KeptLogout, keepLogout, sessionsMeantBy, takeLogout, useLogout } from "./logout.ts";
import { refusing } from "./open.ts";

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}
interface Found {
  readonly provider: ProviderSnapshot;
  readonly broker: SamlBroker;
}

/** The result of a LogoutRequest: the number of ended sessions, and the logouts that notify their applications. */
interface EndedByProvider {
  readonly count: number;
  readonly logouts: readonly string[];
}

export interface ProviderLogoutParts {
  readonly brokers: BrokerParts;
  readonly work: UnitOfWork;
  /** Ends the sessions that `find` returns in the transaction. Both return null if the request was used before. */
  end(
    exchange: Exchange,
    logout: {
      readonly realm: string;
      readonly alias: string;
      find(ctx: Ctx): Promise<readonly string[] | null>;
      /** Returns the address that the browser continues at, after the applications of its session were notified. */
      next(done: EndedByProvider): string;
    },
  ): Promise<{
    readonly done: EndedByProvider;
    /** Responds by sending the browser to applications; null if none has to be notified there. */
    readonly goOn: (() => unknown) | null;
  } | null>;
  /** Tells whether the applications have confirmed their logout. */
  isComplete(realm: string, logouts: readonly string[]): Promise<boolean>;
  /** Shows the page that posts the answer. */
  showForm(exchange: Exchange, hop: { readonly name: string; readonly location: string; readonly form: Record<string, string> }): unknown;
  goTo(reply: FastifyReply, path: string): never;
}

const sloErrors = defineErrors("broker_logout", {
  refused: [400, "The provider's logout message was not accepted: sign out here to be sure"],
});

const tags = ["Protocol"];
const params = Type.Object({ realm: Type.String(), alias: Type.String({ maxLength: 63 }) });
const page = (description: string) => Type.String({ description });
const LIMIT = { relayStateBytes: 2048 };
const BODY_LIMIT = 128 * 1024;

/** The remaining work after a LogoutRequest. It is sealed into an address. */
interface Done extends EndedByProvider {
  readonly id: string;
  readonly relayState: string | null;
  readonly until: number;
}
/** The time that a user may spend at the applications. */
const LIFETIME = 15 * MINUTE;

/** Mounted under /realms/:realm. Logouts that a SAML identity provider requests, and its answers to logouts that continued there. */
export const providerLogoutRoutes: FastifyPluginAsyncTypebox<ProviderLogoutParts> = async (app, parts) => {
  const { brokers, work, showForm, goTo, isComplete } = parts;
  const { tools } = brokers;
  app.addContentTypeParser(["text/xml", "application/soap+xml"], { parseAs: "buffer", bodyLimit: BODY_LIMIT }, (_request, body, done) =>
    done(null, body),
  );

  const found = async ({ realmId, params: sent }: FastifyRequest): Promise<Found> => {
    const provider = (await brokers.providers.get(realmId))?.byAlias.get((sent as { alias: string }).alias);
    const broker = provider?.enabled ? samlBrokerOf(provider.protocol) : null;
    if (!provider || !broker) throw providerErrors.not_found();
    return { provider, broker };
  };

  /** Ends the sessions that the message names, and nothing else. `take` consumes the message. */
  async function end(exchange: Exchange, { provider }: Found, take: (ctx: Ctx) => Promise<KeptLogout | null>) {
    const { realm, alias } = provider;
    const taken: { kept?: KeptLogout } = {};
    const result = await parts.end(exchange, {
      ...{ realm, alias },
      async find(ctx) {
        const kept = await take(ctx);
        if (!kept) return null;
        taken.kept = kept;
        return sessionsMeantBy(ctx, tools.saml, provider, kept.asked);
      },
      next: (done) => `${pathOf(provider)}?${new URLSearchParams({ done: sealed(provider, doneOf(taken.kept!, done)) })}`,
    });
    if (!result || !taken.kept) throw new UpstreamError("replay", "The LogoutRequest was used before.");
    return { goOn: result.goOn, done: doneOf(taken.kept, result.done) };
  }
  const doneOf = ({ asked, relayState }: KeptLogout, done: EndedByProvider): Done => ({
    ...{ ...done, id: asked.id, relayState, until: clock.now() + LIFETIME },
  });

  /** Ends sessions in the user's browser: it visits the applications first, and then brings the answer to the provider. */
  async function endInBrowser(exchange: Exchange, at: Found, take: (ctx: Ctx) => Promise<KeptLogout | null>) {
    const { goOn, done } = await end(exchange, at, take);
    return goOn ? goOn() : answer(exchange, at, done);
  }

  const read = ({ provider, broker }: Found, message: () => Promise<ReceivedMessage> | ReceivedMessage) =>
    refusing(async (): Promise<KeptLogout> => {
      const received = await message();
      return { asked: await broker.logout.read(provider, received, tools), relayState: received.relayState };
    });

  /** Records a refused message; throws every other error. */
  const recordRefusal = async (request: FastifyRequest, { provider }: Found, error: unknown): Promise<UpstreamError> => {
    if (!(error instanceof UpstreamError)) throw error;
    const { realm, alias } = provider;
    tools.log.warn({ err: error, realm, alias, reason: error.reason }, "a logout message of an identity provider was refused");
    await brokers.failed(work, provider, error.reason, requestSource(request));
    return error;
  };

  async function answer(exchange: Exchange, { provider, broker }: Found, { id, count, logouts, relayState }: Done) {
    const answered = { id, count, isComplete: await isComplete(provider.realm, logouts) };
    const { slo, message, key } = await broker.logout.respond(provider, answered, tools);
    if (!slo) return goTo(exchange.reply, `/realms/${provider.realm}/login?signed_out`);
    if (slo.binding === "redirect")
      return goTo(exchange.reply, await redirectUrl({ location: slo.responseLocation, message, relayState, key }));
    const form = postFields(await signed(message, key), relayState);
    return showForm(exchange, { name: provider.displayName, location: slo.responseLocation, form });
  }

  /** Continues a logout that began here. The session ended before, so the provider's answer decides nothing. `state` identifies browser and destination. */
  const goOn = ({ request, reply }: Exchange, state: unknown) => {
    const { realm, alias } = request.params as { realm: string; alias: string };
    const query = new URLSearchParams(typeof state === "string" ? { state: state.slice(0, 128) } : {});
    return goTo(reply, `/realms/${realm}/broker/${encodeURIComponent(alias)}/endpoint/logout_response?${query}`);
  };

  const pathOf = ({ realm, alias }: ProviderSnapshot) => `/realms/${realm}/broker/${encodeURIComponent(alias)}/slo`;

  const place = ({ realm, providerId }: ProviderSnapshot) => ({
    realm,
    table: "broker_answers",
    column: "sealed",
    row: `logout ${providerId}`,
  });

  route(app, "GET", "/broker/:alias/slo", {
    config: { limit: "samlMessages" },
    summary: "Single logout by an identity provider, by the Redirect binding (SAML 2.0)",
    description:
      "LogoutRequests have to be signed. They end the sessions that began with their NameID and SessionIndex. Applications of the session in this browser are notified, and then the provider gets the response.",
    tags,
    params,
    response: {
      200: page("A page that notifies applications, or posts the response to the provider"),
      303: Type.Null({ description: "Redirects to the page that notifies applications, or to the provider with the response" }),
      400: page("The message was refused"),
    },
    handler: async (request, reply) => {
      const exchange = { request, reply };
      const query = request.query as Record<string, unknown>;
      if (query.SAMLResponse !== undefined) return goOn(exchange, query.RelayState);
      const at = await found(request);
      if (typeof query.done === "string") {
        const done = opened(at.provider, query.done);
        if (!done) throw sloErrors.refused();
        return (await answer(exchange, at, done)) as never;
      }
      try {
        const { posted } = query;
        if (typeof posted === "string") return (await endInBrowser(exchange, at, takeLogout(tools.saml, at.provider, posted))) as never;
        const [, raw = ""] = /\?(.*)/s.exec(request.raw.url ?? "") ?? [];
        const kept = await read(at, () => readRedirect(raw, LIMIT));
        return (await endInBrowser(exchange, at, useLogout(at.provider, kept))) as never;
      } catch (error) {
        throw sloErrors.refused(await recordRefusal(request, at, error));
      }
    },
  });

  const sealed = (provider: ProviderSnapshot, done: Done) => tools.saml.vault.seal(JSON.stringify(done), place(provider));

  function opened(provider: ProviderSnapshot, text: string): Done | null {
    try {
      const done = JSON.parse(tools.saml.vault.open(text, place(provider))) as Done;
      return done.until > clock.now() ? done : null;
    } catch {
      return null;
    }
  }

  route(app, "POST", "/broker/:alias/slo", {
    config: { caller: anonymous(), csrf: "none", limit: "samlMessages" },
    summary: "Single logout by an identity provider, by the POST binding and over SOAP (SAML 2.0)",
    description: "A form is answered with a redirect to the same address, a SOAP envelope with a LogoutResponse.",
    consumes: ["application/x-www-form-urlencoded", "text/xml"],
    tags,
    params,
    response: {
      200: page("A SOAP envelope with a LogoutResponse"),
      303: Type.Null({ description: "Redirects to the same address by GET" }),
      400: page("The message was refused: a page, or a SOAP fault"),
    },
    handler: async (request, reply) => {
      const exchange = { request, reply };
      const { body } = request;
      if (Buffer.isBuffer(body)) return bySoap(exchange, body);
      const form = (body ?? {}) as Record<string, unknown>;
      if (form.SAMLResponse !== undefined) return goOn(exchange, form.RelayState);
      const at = await found(request);
      try {
        const kept = await read(at, () => readPost(form, LIMIT));
        const posted = await keepLogout(tools.saml, at.provider, kept);
        if (posted === null) throw new UpstreamError("replay", "The LogoutRequest was used before.");
        // A POST from another site has no cookies, so the browser's session is known only at the address that it continues at.
        return goTo(reply, `${pathOf(at.provider)}?${new URLSearchParams({ posted })}`);
      } catch (error) {
        throw sloErrors.refused(await recordRefusal(request, at, error));
      }
    },
  });

  async function bySoap({ request, reply }: Exchange, body: Buffer) {
    const at = await found(request);
    reply.header("cache-control", "no-store").type("text/xml; charset=utf-8");
    try {
      const { id, count, logouts } = (await end({ request, reply }, at, useLogout(at.provider, await read(at, () => readSoap(body))))).done;
      const answered = { id, count, isComplete: await isComplete(at.provider.realm, logouts) };
      const { message, key } = await at.broker.logout.respond(at.provider, answered, tools);
      return soapEnvelope(await signed(message, key));
    } catch (error) {
      await recordRefusal(request, at, error);
      return reply.code(400).send(soapFault());
    }
  }
};
