import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { PublishedDocument } from "./documents.ts";
import { refusedHost } from "./host.ts";

export interface EarlyAnswers {
  /** The headers of every response, names and values in turn. */
  readonly defaultHeaders: readonly string[];
  /** Returns false if every request is to be routed normally. */
  isWanted(): boolean;
  /** Called after an early answer, with the seconds that it took. */
  observe(route: string, seconds: number): void;
}

interface Source {
  readonly route: string;
  readonly find: (realm: string) => PublishedDocument | undefined;
}

const PREFIX = "/realms/";
const PATTERN = "/realms/:realm";

/** Tells whether the headers ask for more than the document, or have to be refused. */
const asksForMore = (request: IncomingMessage): boolean =>
  request.headers["if-none-match"] !== undefined || request.headers.traceparent !== undefined || refusedHost(request) !== null;

/**
 * Sends cached documents before the request is routed. Relying parties read a realm's keys and its discovery document very often, and parsing, validating and
 * serialising would cost more than the response. The route itself handles a request that asks for more, and every document that is not cached.
 */
export function answerEarly(app: FastifyInstance, { defaultHeaders, isWanted, observe }: EarlyAnswers): void {
  const sources = new Map<string, Source>();
  app.addHook("onRoute", ({ method, url, config }) => {
    const find = config?.document;
    if (find && method === "GET" && url.startsWith(`${PATTERN}/`)) sources.set(url.slice(PATTERN.length), { route: url, find });
  });

  // Each document has one header list, into which every request writes its id. This is safe because `writeHead` copies the list synchronously.
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
