import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { PublishedDocument } from "./documents.ts";

export interface EarlyAnswers {
  /** The headers of every response, names and values in turn. */
  readonly defaultHeaders: readonly string[];
  /** False: every request is routed normally. */
  isWanted(): boolean;
  /** An answer was given, after so many seconds. */
  observe(route: string, seconds: number): void;
}

interface Source {
  readonly route: string;
  readonly find: (realm: string) => PublishedDocument | undefined;
}

const PREFIX = "/realms/";
const PATTERN = "/realms/:realm";

/** Headers by which a request asks for more than the document. */
const asksForMore = ({ headers }: IncomingMessage): boolean => headers["if-none-match"] !== undefined || headers.traceparent !== undefined;

/**
 * Relying parties read a realm's keys and its discovery document very often. A cached document is sent before the request is routed:
 * there is nothing to parse, validate or serialise, which would cost more than the response. A request that asks for more, and every
 * document that is not cached, is handled by the route itself.
 */
export function answerEarly(app: FastifyInstance, { defaultHeaders, isWanted, observe }: EarlyAnswers): void {
  const sources = new Map<string, Source>();
  app.addHook("onRoute", ({ method, url, config }) => {
    const find = config?.document;
    if (find && method === "GET" && url.startsWith(`${PATTERN}/`)) sources.set(url.slice(PATTERN.length), { route: url, find });
  });

  // One header list per document, into which every request writes its id: `writeHead` copies it synchronously.
  const lists = new WeakMap<PublishedDocument, string[]>();
  const headersFor = (document: PublishedDocument): string[] => {
    let list = lists.get(document);
    if (!list) {
      list = ["x-request-id", "", ...document.headers, ...defaultHeaders];
      lists.set(document, list);
    }
    list[1] = randomUUID();
    return list;
  };

  const tryToAnswer = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { method, url = "" } = request;
    if (method !== "GET" || !url.startsWith(PREFIX)) return false;
    const end = url.indexOf("/", PREFIX.length);
    const source = end === -1 ? undefined : sources.get(url.slice(end));
    if (!source || !isWanted() || asksForMore(request)) return false;
    const began = performance.now();
    const document = source.find(url.slice(PREFIX.length, end));
    if (!document) return false;
    response.writeHead(200, headersFor(document));
    response.end(document.body, "latin1");
    observe(source.route, (performance.now() - began) / 1000);
    return true;
  };

  const [route] = app.server.listeners("request") as RequestListener[];
  if (!route) throw new Error("Fastify listens to its server in another way than before: see early-answers.ts");
  app.server.off("request", route);
  app.server.on("request", (request, response) => {
    if (!tryToAnswer(request, response)) route(request, response);
  });
}
