import { Readable } from "node:stream";
import { totpPlace } from "../../directory/credentials/index.ts";
import { pathsOfGroups } from "../../directory/groups/index.ts";
import { type CarriedUser, readRows, readUsers } from "../../directory/import/index.ts";
import { malformed } from "../../kernel/errors.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { lean, mapSecrets } from "./compare.ts";
import type { Plan } from "./plan.ts";
import type { Sealing } from "./sealing.ts";
import { Secret, type SectionTools } from "./section.ts";

/** The tables whose rows a user's item holds. They are in no section, because users are read and written as a stream. */
export const userTables = {
  tables: ["users", "login_names", "user_roles", "credentials", "group_members", "organization_members"],
} as const;

const PAGE = 500;
const defaults = {
  email: null,
  emailVerified: false,
  inactiveLoginNames: [],
  enabled: true,
  locked: false,
  attributes: {},
  requiredActions: [],
  clientRoles: [],
  groups: [],
  organizations: [],
  credentials: [],
};
const placeOfUser = (username: string) => `users[${username.slice(0, 100)}]`;

/** Yields an item for each user of the realm, by id. Hashes and other credentials are sealed or left out. Users of directories come with a sync. */
export async function* exportUsers(ctx: ReadCtx, tools: SectionTools, sealing: Sealing | null): AsyncGenerator<object> {
  const paths = new Map<string, string>();
  let after: string | null = null;
  for (;;) {
    const users: CarriedUser[] = await readUsers(ctx.tx, ctx.realm, after, PAGE, sealing !== null);
    const fresh = users.flatMap(({ groupIds }) => groupIds).filter((id) => !paths.has(id));
    for (const [id, path] of await pathsOfGroups(ctx.tx, ctx.realm, fresh)) paths.set(id, path);
    for (const user of users) yield shown(ctx.realm, tools, user, paths, sealing);
    if (users.length < PAGE) return;
    after = users.at(-1)!.userId;
  }
}

function shown(
  realm: string,
  { vault }: SectionTools,
  user: CarriedUser,
  paths: ReadonlyMap<string, string>,
  sealing: Sealing | null,
): object {
  const { roles, groupIds, credentials, source: _, ...members } = user;
  const password = credentials.find(({ type }) => type === "password");
  const item = lean(
    {
      ...members,
      roles: roles.filter(({ clientId }) => clientId === null).map(({ name }) => name),
      clientRoles: roles.flatMap(({ clientId, name }) => (clientId === null ? [] : [{ clientId, name }])),
      groups: groupIds.flatMap((id) => paths.get(id) ?? []).sort(),
      ...(password && { passwordHash: new Secret(() => password.secret) }),
      ...(sealing && {
        credentials: credentials
          .filter(({ type }) => type !== "password")
          .map(({ id, type, secret, data, createdAt }) => ({
            ...{ type, data, createdAt },
            secret: new Secret(() => (type === "totp" ? vault.open(secret, totpPlace(realm, id)) : secret)),
          })),
      }),
    },
    defaults,
  );
  return mapSecrets(item, placeOfUser(user.username), (secret, path) =>
    sealing ? { $sealed: sealing.seal(secret.open(), path) } : undefined,
  ) as object;
}

/** Returns the users of a document as rows of an import of users: one JSON object per line, with opened secrets. */
export function rowsOf(users: Readable, sealing: Sealing | null, planned: Plan | null): Readable {
  const soon = planned ? createdBy(planned) : null;
  async function* lines(): AsyncGenerator<string> {
    const rows = readRows(users, "application/json", ",");
    // Blank lines are skipped. Without one, a body without users would be empty, and refused.
    yield "\n";
    for (;;) {
      const { done, value } = await rows.next();
      if (done) {
        // Committed rows stay; the import can be repeated.
        if (value) throw malformed(`users: ${value.message} (line ${value.line}, byte ${value.position})`);
        return;
      }
      const line = (row: (typeof value)[number]) =>
        row.fault ? row.bytes.toString("utf8").replaceAll("\n", " ") : JSON.stringify(prepared(row.value, sealing, soon));
      if (value.length > 0) yield value.map((row) => `${line(row)}\n`).join("");
    }
  }
  return Readable.from(lines(), { objectMode: false });
}

interface Soon {
  has(section: string, key: string): boolean;
}

const createdBy = ({ actions }: Plan): Soon => {
  const keys = new Set(actions.filter(({ action }) => action === "create").map(({ section, key }) => `${section} ${key.toLowerCase()}`));
  return { has: (section, key) => keys.has(`${section} ${key.toLowerCase()}`) };
};

function prepared(value: unknown, sealing: Sealing | null, soon: Soon | null): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const { username } = value as { username?: unknown };
  const user = unsealed(value, placeOfUser(String(username)), sealing) as Record<string, unknown>;
  if (!soon) return user;
  // A dry run has undone what the document creates, so references to it are left out instead of being refused.
  const kept = (member: string, section: string, keyOf: (one: never) => string) =>
    Array.isArray(user[member]) && { [member]: (user[member] as never[]).filter((one) => !soon.has(section, keyOf(one))) };
  return {
    ...user,
    ...kept("roles", "roles", (name: string) => String(name)),
    ...kept("groups", "groups", (path: string) => String(path)),
    ...kept("organizations", "organizations", (one: { alias?: string }) => String(one?.alias)),
    ...kept("federatedIdentities", "identityProviders", (one: { provider?: string }) => String(one?.provider)),
    ...kept("clientRoles", "clients", (one: { clientId?: string }) => String(one?.clientId)),
  };
}

/** Opens sealed secrets. One that does not open stays as it is, and its row is then refused. */
function unsealed(value: unknown, path: string, sealing: Sealing | null): unknown {
  if (Array.isArray(value)) return value.map((one, at) => unsealed(one, `${path}.${at}`, sealing));
  if (typeof value !== "object" || value === null) return value;
  const { $sealed } = value as { $sealed?: unknown };
  if (typeof $sealed === "string") return sealing?.open($sealed, path) ?? value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unsealed(member, `${path}.${name}`, sealing)]));
}
