import { createHash } from "node:crypto";
import type { Logger } from "pino";
import { clock, SECOND } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Vault } from "../../kernel/vault.ts";
import { createRealmCache, type RealmChanges } from "../../platform/cache/index.ts";
import { systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Outbound } from "../../platform/outbound/index.ts";
import type { PasswordHasher } from "../../platform/passwords/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { signatureHeaders } from "../../tenancy/webhooks/index.ts";
import {
  directoryUnavailable,
  localPasswords,
  nothingKnown,
  type PasswordAnswer,
  type PasswordQuestion,
  type PasswordSource,
  savePassword,
  takeAwaited,
} from "../credentials/index.ts";
import { findTaken, type ImportUser, importOne } from "../import/index.ts";
import { findSource, mayBeAsked, secretPlace } from "./store.ts";

export interface PasswordSourceParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly vault: Vault;
  readonly changes: RealmChanges;
  readonly outbound: Outbound;
  readonly hasher: PasswordHasher;
  readonly log: Pick<Logger, "warn">;
}

interface Source {
  readonly url: string;
  readonly secret: string;
}

const UNKNOWN = { verdict: "unknown" } as const;
const WRONG = { verdict: "wrong" } as const;
/** The limit is short, because a sign-in waits for the answer. */
const TIMEOUT_MS = 5_000;
const MAX_ANSWER = 64 * 1024;
const MAX_LOGIN = 255;
const MAX_PASSWORD = 1024;

/**
 * The system that users moved away from. It is asked about passwords by HTTP until each user has signed in once, after every other source, and only
 * about names that no user has here and users who were imported without a password. It never learns the password of anybody else.
 */
export function createHttpPasswords(parts: PasswordSourceParts): PasswordSource {
  const { db, vault, changes, hasher, log } = parts;
  const local = localPasswords(db, hasher);
  const cache = createRealmCache(changes, async (realm) => {
    const { configVersion, url, enabled, secret } = await findSource(db, realm);
    const source: Source | null =
      url !== null && enabled && secret !== null ? { url, secret: vault.open(secret, secretPlace(realm)) } : null;
    return { configVersion, source };
  });
  const sourceOf = async (realm: string) => (await cache.get(realm))?.source ?? null;

  return {
    name: "password-source",
    async check(question) {
      const { realm, userId, login, password } = question;
      const source = await sourceOf(realm);
      if (!source || !isAskable(login, password)) return UNKNOWN;
      if (userId !== null && !(await mayBeAsked(db, realm, userId))) return UNKNOWN;
      const answer = await ask(parts, source, { type: "password", realm, username: login, password }).catch((error) => {
        log.warn({ err: error, realm }, "the password source of a realm cannot be asked");
        throw directoryUnavailable(error);
      });
      if (answer === "unknown" || answer === "wrong") return answer === "wrong" ? WRONG : UNKNOWN;
      const hash = await hasher.hash(password);
      const right = userId === null ? await bring(parts, question, answer, hash) : await keep(parts, { ...question, userId }, hash);
      return right ?? local.check({ ...question, userId: userId ?? (await ownerOf(db, realm, login)) });
    },
    /** Asks without a name or a password: whether the system answers, and how fast, must not reveal which names are local. */
    async probe({ realm }) {
      const source = await sourceOf(realm);
      if (!source) return;
      try {
        await ask(parts, source, { type: "probe", realm });
      } catch (error) {
        throw nothingKnown(error);
      }
    },
  };
}

const isAskable = (login: string, password: string): boolean =>
  login !== "" && login.length <= MAX_LOGIN && password !== "" && password.length <= MAX_PASSWORD && !`${login}${password}`.includes("\0");

const ownerOf = async (db: Db, realm: string, login: string): Promise<string | null> =>
  (await findTaken(db, realm, [loginKey(login)])).get(loginKey(login))?.userId ?? null;

/** An object means that the password is right. It describes the user as the other system knows them. */
type Answer = "wrong" | "unknown" | Readonly<Record<string, unknown>>;

async function ask({ outbound }: PasswordSourceParts, { url, secret }: Source, question: object): Promise<Answer> {
  const body = Buffer.from(JSON.stringify(question));
  const { status, json } = await outbound.fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...signatureHeaders(newId(), Math.floor(clock.now() / SECOND), body, [secret]) },
    body,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER,
  });
  if (status === 401 || status === 403) return "wrong";
  if (status === 404) return "unknown";
  const answer = status === 200 ? json() : null;
  if (typeof answer !== "object" || answer === null) throw new Error(`the password source answered ${status}`);
  const { user = {} } = answer as { user?: unknown };
  return typeof user === "object" && user !== null ? (user as Answer) : {};
}

const origin = (realm: string) => ({ realm, actor: systemActor(realm, "password source"), sourceIp: null });

/** Stores the password of an imported user. Returns null if another sign-in was faster. */
async function keep(
  { work }: PasswordSourceParts,
  { realm, userId }: PasswordQuestion & { userId: string },
  hash: string,
): Promise<PasswordAnswer | null> {
  return work.transact(origin(realm), async (ctx) => {
    if (!(await takeAwaited(ctx.tx, realm, userId))) return null;
    await savePassword(ctx.tx, realm, userId, hash, ctx.now);
    ctx.audit({
      category: "SECURITY",
      type: "PASSWORD_CHANGED",
      resourceType: "users",
      resourceId: userId,
      detail: "taken over from the password source",
    });
    return { verdict: "right", userId, checked: hash, setAt: ctx.now };
  });
}

const MEMBERS = ["email", "emailVerified", "attributes", "createdAt"] as const;

/** Creates the user by the rules of an import. Returns null if another sign-in was faster, or if there can be no such user. */
async function bring(
  parts: PasswordSourceParts,
  { realm, login }: PasswordQuestion,
  described: Readonly<Record<string, unknown>>,
  hash: string,
): Promise<PasswordAnswer | null> {
  const userId = typeof described.userId === "string" ? described.userId : newId();
  const user = {
    username: typeof described.username === "string" ? described.username : login,
    ...{ userId, passwordHash: hash },
    ...Object.fromEntries(
      MEMBERS.filter((member) => described[member] !== undefined && described[member] !== null).map((member) => [
        member,
        described[member],
      ]),
    ),
  } as ImportUser;
  const making = parts.work.transact(origin(realm), async (ctx): Promise<PasswordAnswer | null> => {
    const outcome = await importOne(ctx, user, parts.vault);
    if (outcome !== "created") {
      const code = typeof outcome === "string" ? outcome : outcome.code;
      parts.log.warn(
        { realm, code, name: createHash("sha256").update(login).digest("hex").slice(0, 12) },
        "a user of the password source could not be made",
      );
      return null;
    }
    ctx.audit({
      category: "ADMIN",
      type: "ADMIN_CREATE",
      resourceType: "users",
      resourceId: userId.toLowerCase(),
      detail: "password source",
    });
    return { verdict: "right", userId: userId.toLowerCase(), checked: hash, setAt: ctx.now };
  });
  return making.catch((error: unknown) => {
    if ((error as { code?: unknown })?.code === UNIQUE_VIOLATION) return null;
    throw error;
  });
}

/** The SQLSTATE if another sign-in of the same person committed first. */
const UNIQUE_VIOLATION = "23505";
