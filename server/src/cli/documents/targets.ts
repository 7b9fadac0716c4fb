import { isIP } from "node:net";
import { Readable } from "node:stream";
import type { Core } from "../../core.ts";
import { hashingFor } from "../../directory/import/index.ts";
import { readEntity } from "../../federation/index.ts";
import { clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { withoutEnding } from "../../kernel/text.ts";
import { randomToken } from "../../kernel/vault.ts";
import {
  type ExportChoice,
  exportRealm,
  type ImportOptions,
  importRealm,
  type RealmImport,
  readDocument,
  type SectionTools,
} from "../../operations/transfer/index.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { shippedBreaches } from "../../platform/passwords/index.ts";
import { CreateRealm, prepareRealm, type RealmSeed } from "../../tenancy/realms/index.ts";
import { defaultSettings } from "../../tenancy/settings/index.ts";
import { checked } from "../checked.ts";
import { type Invocation, UsageError } from "../command.ts";
import { cliOrigin } from "../core.ts";
import { readPassword } from "../secrets.ts";
import type { Document } from "./read.ts";

export interface ApplyOptions extends Omit<ImportOptions, "newRealm"> {
  /** True to create a missing realm with the content of the document, which a running server cannot do. */
  readonly createsRealm: boolean;
  readonly passphrase: string | null;
}

export interface Applied extends RealmImport {
  /** True if the realm was created, or would be. */
  readonly newRealm: boolean;
}

/** The source or target of a document: a running server, or its database. */
export interface Target {
  export(realm: string, choice: ExportChoice): Promise<Document>;
  /** Returns null if the realm does not exist. */
  import(realm: string, document: Document, options: ApplyOptions): Promise<Applied | null>;
}

/** Returns the tools of the sections. Their outbound connections only check addresses: an import sends nothing. */
function toolsOf({ config, vault }: Core): SectionTools {
  const outbound = createOutbound({ allowedHosts: config.allowedHosts, allowLoopbackHttp: config.mode === "development" });
  return { vault, outbound, webhookOutbound: outbound, baseUrl: config.baseUrl, readEntity };
}

/** Separates the users, which are a list in the document here, while an import reads them as a stream. */
function splitUsers({ users, ...configuration }: Document): { readonly configuration: Document; readonly users: Readable | null } {
  return { configuration, users: users === undefined ? null : Readable.from([Buffer.from(JSON.stringify(users))], { objectMode: false }) };
}

/** The database without a server. It is accessed as the command line, which has every permission. */
export const databaseTarget = (core: Core): Target => {
  const tools = toolsOf(core);
  return {
    export: (realm, choice) =>
      withRefusal(async () => {
        const { document, users } = await exportRealm((work) => core.work.transact(cliOrigin(realm), work), tools, choice);
        const list = users({ ...cliOrigin(realm), tx: core.db, now: clock.now() });
        if (list === null) return document;
        const all: object[] = [];
        for await (const user of list) all.push(user);
        return { ...document, users: all };
      }),
    async import(realm, document, { createsRealm, passphrase, ...options }) {
      const found = await core.realms.get(realm);
      if (!found && !createsRealm) return null;
      const origin = cliOrigin(realm);
      const read = <T>(work: (ctx: ReadCtx) => Promise<T>) => work({ ...origin, tx: core.db, now: clock.now() });
      const parts = { hasher: core.hasher, breaches: shippedBreaches() };
      const { passwordPolicy } = found?.settings ?? defaultSettings(realm);
      const users = { hashPassword: hashingFor(read, parts, passwordPolicy, options.dryRun), log: core.log };
      return withRefusal(async () => {
        const split = splitUsers(document);
        const source = { document: await readDocument(split.configuration, passphrase), users: split.users };
        const newRealm = found ? undefined : await seedOf(core, realm);
        try {
          const how = { ...options, newRealm };
          const done = await importRealm((work) => core.work.transact(origin, work), { ...tools, users }, origin, source, how);
          return { ...done, newRealm: !found };
        } catch (error) {
          if (found || !(error instanceof AppError)) throw error;
          if (error.code === "transfer.plan_changed") throw planOfAnother(realm);
          // Another node created the realm first. The name of a realm that is still being deleted is taken as well.
          if (error.code !== "realms.name_taken" || !(await core.realms.get(realm))) throw error;
          return this.import(realm, document, { createsRealm, passphrase, ...options });
        }
      });
    },
  };
};

const planOfAnother = (realm: string) =>
  new Error(`There is no realm “${realm}”, so creating it is another plan. Nothing was changed. Make a new plan and check it.`);

/** Prepares a new realm, whose administrator has a password that nobody knows: `admin` sets another one. */
async function seedOf(core: Core, realm: string): Promise<RealmSeed> {
  const input = checked(CreateRealm, { realm });
  const { seed } = await prepareRealm({ ...core, breaches: shippedBreaches() }, { ...input, adminPassword: randomToken() });
  return seed;
}

/** A running server, which is accessed with a token for its admin API. Returns null if no server is named. */
export async function serverTarget(call: Invocation): Promise<Target | null> {
  const { server, "token-file": tokenFile } = call.options;
  if (server === undefined) {
    if (tokenFile !== undefined) throw new UsageError("--token-file needs --server: the address to send it to.", call.command);
    return null;
  }
  if (typeof tokenFile !== "string") throw new UsageError("--server needs --token-file: an access token for its admin API.", call.command);
  const origin = addressOf(String(server), call.command);
  const token = await readPassword(tokenFile, "token");
  const ask = (realm: string, path: string, query: Record<string, string>, passphrase: string | null, body?: Document) =>
    request(`${origin}/admin/realms/${encodeURIComponent(realm)}/${path}?${new URLSearchParams(query)}`, {
      method: body ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${token}`,
        ...(passphrase !== null && { "export-passphrase": encodeURIComponent(passphrase) }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    async export(realm, { sections, full, passphrase, users }) {
      const query = {
        ...(users && { users: "true" }),
        ...(sections !== null && { sections }),
        ...(full && { full: "true" }),
        ...(passphrase !== null && { secrets: "sealed" }),
      };
      const answer = await ask(realm, "export", query, passphrase);
      if (answer.status !== 200) throw new Error(spell(answer.body));
      return answer.body as Document;
    },
    async import(realm, document, { dryRun, prune, source, plan, passphrase }) {
      const query = { dryRun: String(dryRun), prune, ...(source !== null && { source }), ...(plan !== null && { plan }) };
      const answer = await ask(realm, "import", query, passphrase, document);
      if (answer.status === 404 && (answer.body as Problem).code === "realms.not_found") return null;
      if (answer.status !== 200) throw new Error(spell(answer.body));
      return { ...(answer.body as unknown as RealmImport), newRealm: false };
    },
  };
}

const TIMEOUT = 10 * 60_000;

async function request(url: string, init: RequestInit): Promise<{ readonly status: number; readonly body: Document }> {
  const answer = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(TIMEOUT) }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new Error(`${new URL(url).origin} does not answer: ${cause}`);
  });
  const text = await answer.text();
  try {
    return { status: answer.status, body: JSON.parse(text) as Document };
  } catch {
    throw new Error(`${new URL(url).origin} answered ${answer.status} with something that is not JSON. Is it a Gatehouse server?`);
  }
}

/** Checks the server's address: a token is sent over https, or to this machine. */
function addressOf(text: string, command: string): string {
  if (!URL.canParse(text)) throw new UsageError(`--server takes an address such as https://id.example.com, got "${text}".`, command);
  const { protocol, hostname, href } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isHere = host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
  if (protocol !== "https:" && !(protocol === "http:" && isHere))
    throw new UsageError("--server takes an https address: others could read the token on its way.", command);
  return withoutEnding(href, "/");
}

interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

/** Writes the refusal of the server or the import, with each fault on its own line. */
export function spell({ detail = "The server refused it.", errors = [] }: Problem): string {
  return errors.length <= 1
    ? detail
    : [`The document has ${errors.length} faults:`, ...errors.map(({ message }) => `  ${message}`)].join("\n");
}

async function withRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new Error(spell({ detail: error.message, errors: error.errors ?? [] }), { cause: error });
  }
}
