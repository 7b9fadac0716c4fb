import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape
type Json = any;

export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Json;
}

/** A fault that a request meets instead of an answer, or after it was handled. */
type Trouble = (request: PeerRequest) => { status: number; headers?: Record<string, string>; body?: Json } | "lose-answer" | null;

/**
 * A SCIM service for tests. A strict one follows RFC 7644 and refuses every unknown member. A sloppy one is like some products. It answers 204 without a body,
 * spells `resources`, lists no members, supports no filter except `userName` and `displayName`, accepts duplicates, has numbers as ids, and accepts 2 members
 * in a request.
 */
export interface ScimPeer {
  readonly url: string;
  readonly requests: PeerRequest[];
  readonly users: Map<string, Json>;
  readonly groups: Map<string, Json>;
  token: string;
  /** Tells whether a request is accepted. By default it must have the token as a bearer. */
  accepts: (authorization: string | undefined) => boolean;
  /** The client's credentials that `tokenUrl` received, in the order of the requests. */
  readonly tokenRequests: { readonly authorization: string | undefined; readonly form: Record<string, string> }[];
  readonly tokenUrl: string;
  trouble: Trouble;
  /** Called before each answer, when the request has been handled. */
  beforeAnswer: (request: PeerRequest) => Promise<void>;
  writes(): PeerRequest[];
  user(userName: string): Json;
  group(displayName: string): Json;
  /** Returns the names of a group's members. */
  members(displayName: string): string[];
  clear(): void;
  close(): Promise<void>;
}

const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const ERROR = "urn:ietf:params:scim:api:messages:2.0:Error";
const USER_MEMBERS = new Set([
  ...["schemas", "id", "externalId", "userName", "active", "name", "displayName", "emails", "phoneNumbers", "title", "nickName", "locale"],
  ...["urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
]);
/** The spellings of an email filter in different services. */
const EMAIL_PATHS = new Set(["emails.value", 'emails[type eq "work"].value', "email"]);
const SLOPPY_MEMBERS = 2;
/** The token that the peer's token endpoint issues. */
export const ACCESS_TOKEN = "made-by-the-token-endpoint";

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

export async function scimPeer(kind: "strict" | "sloppy"): Promise<ScimPeer> {
  const isStrict = kind === "strict";
  const tables: Record<string, Map<string, Json>> = { Users: new Map(), Groups: new Map() };
  let lastId = 0;
  const requests: PeerRequest[] = [];
  const tokenRequests: ScimPeer["tokenRequests"] = [];

  const shown = (type: string, { members, ...resource }: Json) =>
    type === "Groups" && isStrict && members.length > 0 ? { ...resource, members: members.map((value: string) => ({ value })) } : resource;

  const matching = (type: string, filter: string | null): Json[] => {
    const all = [...tables[type]!.values()];
    if (filter === null) return all;
    const [, path = "", text = ""] = /^(.+?) eq ("(?:[^"\\]|\\.)*")$/s.exec(filter) ?? [];
    const value = JSON.parse(text);
    if (path === "userName" || path === "displayName") return all.filter((one) => one[path].toLowerCase() === value.toLowerCase());
    // The sloppy peer ignores the filter: a client that trusts this answer adopts another user's record.
    if (!isStrict) return all;
    if (path === "externalId") return all.filter((one) => one.externalId === value);
    if (EMAIL_PATHS.has(path)) return all.filter((one) => one.emails?.some((email: Json) => email.value === value));
    throw new Refusal(400, "unknown filter");
  };

  const checked = (type: string, body: Json, id?: string): Json => {
    if (isStrict && type === "Users") {
      for (const member of Object.keys(body)) if (!USER_MEMBERS.has(member)) throw new Refusal(400, `unknown member ${member}`);
      if (id !== undefined && body.id !== id) throw new Refusal(400, "another id");
    }
    const name = type === "Users" ? "userName" : "displayName";
    if (typeof body[name] !== "string") throw new Refusal(400, `${name} is required`);
    if (String(body[name]).includes("forbidden")) throw new Refusal(400, `${body[name]} is not allowed here`);
    const isTaken = [...tables[type]!.values()].some((one) => one.id !== id && one[name].toLowerCase() === body[name].toLowerCase());
    if (isStrict && isTaken) throw new Refusal(409, `${name} is taken`);
    return body;
  };

  const patchGroup = (group: Json, operations: Json[]) => {
    for (const { op, path, value } of operations) {
      const filtered = /^members\[value eq (".*")\]$/.exec(path ?? "");
      const ids: string[] = filtered ? [JSON.parse(filtered[1]!)] : Array.isArray(value) ? value.map((one) => one.value) : [];
      if (!isStrict && (ids.length > SLOPPY_MEMBERS || operations.length > SLOPPY_MEMBERS)) throw new Refusal(413, "too much");
      if (path === undefined && op === "replace") Object.assign(group, checked("Groups", { ...group, ...value }, group.id));
      else if (op === "add" && path === "members") {
        for (const id of ids) if (!tables.Users!.has(id)) throw new Refusal(400, `no such member ${id}`);
        group.members = [...new Set([...group.members, ...ids])];
      } else if (op === "remove" && (filtered || path === "members")) {
        if (ids.length === 0) throw new Refusal(400, "nothing to remove");
        group.members = group.members.filter((id: string) => !ids.includes(id));
      } else throw new Refusal(400, `cannot ${op} ${path}`);
    }
  };

  const handle = ({ method, path, body }: PeerRequest): { status: number; headers?: Record<string, string>; body?: Json } => {
    const { pathname, searchParams } = new URL(path, "http://peer");
    const [, , type = "", id] = pathname.split("/").map(decodeURIComponent);
    const table = tables[type];
    if (!table) throw new Refusal(404, "no such endpoint");
    if (method === "GET" && id === undefined) {
      const found = matching(type, searchParams.get("filter")).map((one) => shown(type, one));
      return isStrict
        ? {
            status: 200,
            body: { schemas: [LIST], totalResults: found.length, startIndex: 1, itemsPerPage: found.length, Resources: found },
          }
        : { status: 200, body: { resources: found } };
    }
    if (method === "POST" && id === undefined) {
      const made = isStrict ? `id-${++lastId}` : String(++lastId);
      const resource = { ...checked(type, body), id: made, ...(type === "Groups" && { members: [] }) };
      table.set(made, resource);
      const headers = { location: `http://peer/v2/${type}/${made}` };
      return { status: 201, headers, ...(isStrict && { body: shown(type, resource) }) };
    }
    const current = table.get(id ?? "");
    if (!current) throw new Refusal(404, `no ${id}`);
    if (method === "GET") return { status: 200, body: shown(type, isStrict ? current : { ...current, id: Number(current.id) }) };
    if (method === "DELETE") {
      table.delete(id!);
      for (const group of tables.Groups!.values()) group.members = group.members.filter((one: string) => one !== id);
      return { status: 204 };
    }
    if (method === "PUT" && type === "Users") table.set(id!, { ...checked(type, body, id), id });
    else if (method === "PATCH" && type === "Groups") patchGroup(current, body.Operations);
    else if (method === "PATCH")
      for (const { op, path: at, value } of body.Operations) {
        if (op !== "remove") Object.assign(current, at === undefined ? value : { [at]: value });
        else if (at in current) delete current[at];
      }
    else throw new Refusal(405, "not here");
    return isStrict ? { status: 200, body: shown(type, table.get(id!)) } : { status: 204 };
  };

  const answerTo = (request: PeerRequest, message: IncomingMessage): { status: number; headers?: Record<string, string>; body?: Json } => {
    try {
      if (!peer.accepts(message.headers.authorization)) throw new Refusal(401, "who are you");
      if (isStrict && request.body !== null && message.headers["content-type"] !== "application/scim+json")
        throw new Refusal(415, "not SCIM");
      return handle(request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: { schemas: [ERROR], status: String(error.status), detail: error.message } };
    }
  };

  const server = createServer(async (message: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    if (message.url === "/token") {
      tokenRequests.push({ authorization: message.headers.authorization, form: Object.fromEntries(new URLSearchParams(text)) });
      response.writeHead(200, { "content-type": "application/json" });
      return void response.end(JSON.stringify({ access_token: ACCESS_TOKEN, token_type: "Bearer", expires_in: 3600 }));
    }
    const request = { method: message.method ?? "", path: message.url ?? "", body: text === "" ? null : JSON.parse(text) };
    requests.push(request);
    response.on("error", () => {}); // clients may hang up
    const trouble = peer.trouble(request);
    const answer = trouble === null || trouble === "lose-answer" ? answerTo(request, message) : trouble;
    if (trouble === "lose-answer") return void message.socket.destroy();
    await peer.beforeAnswer(request);
    response.writeHead(answer.status, { "content-type": "application/scim+json", ...answer.headers });
    response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const [users, groups] = [tables.Users!, tables.Groups!];
  const named = (table: Map<string, Json>, member: string, name: string) => [...table.values()].find((one) => one[member] === name);
  const withToken = (authorization: string | undefined) => authorization === `Bearer ${peer.token}`;
  const peer: ScimPeer = {
    url: `http://127.0.0.1:${port}/v2`,
    tokenUrl: `http://127.0.0.1:${port}/token`,
    ...{ requests, tokenRequests, users, groups, token: "the token of this peer", trouble: () => null, beforeAnswer: async () => {} },
    accepts: withToken,
    writes: () => requests.filter(({ method }) => method !== "GET"),
    user: (userName) => named(users, "userName", userName),
    group: (displayName) => named(groups, "displayName", displayName),
    members: (displayName) =>
      (named(groups, "displayName", displayName)?.members ?? []).map((id: string) => users.get(id)?.userName ?? `gone: ${id}`).sort(),
    clear() {
      users.clear();
      groups.clear();
      requests.length = 0;
      peer.trouble = () => null;
      peer.beforeAnswer = async () => {};
      peer.accepts = withToken;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return peer;
}
