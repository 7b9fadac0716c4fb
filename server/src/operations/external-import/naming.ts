import { groupPath, pathsOfGroups, rolesOfGroups } from "../../directory/groups/index.ts";
import { rolesWithPermissions } from "../../directory/roles/index.ts";
import { cut, loginKey } from "../../kernel/text.ts";
import type { ReadCtx } from "../../platform/context.ts";
import { allows, type Permission } from "../../tenancy/permissions/index.ts";
import type { Report } from "./report.ts";

type Given = ReadonlySet<Permission>;
const NOTHING: Given = new Set();
const MAX_NAME = 255;

/** The roles and groups of the realm that give permissions of the admin API, by their folded names. */
export interface Powers {
  readonly roles: ReadonlyMap<string, Given>;
  readonly groups: ReadonlyMap<string, Given>;
}

const roleKey = (name: string, clientId: string | null) => `${clientId ?? ""}\u0000${loginKey(name)}`;
const groupKey = (names: readonly string[]) => loginKey(groupPath(names));

export async function readPowers(ctx: ReadCtx): Promise<Powers> {
  const carrying = await rolesWithPermissions(ctx.tx, ctx.realm);
  const byId = new Map(carrying.map(({ roleId, permissions }) => [roleId, permissions]));
  const granting = [...(await rolesOfGroups(ctx.tx, ctx.realm))].flatMap(([groupId, roles]) => {
    const given = roles.flatMap(({ roleId }) => byId.get(roleId) ?? []);
    return given.length > 0 ? [[groupId, new Set(given)] as const] : [];
  });
  const paths = await pathsOfGroups(
    ctx.tx,
    ctx.realm,
    granting.map(([groupId]) => groupId),
  );
  return {
    roles: new Map(carrying.map(({ name, clientId, permissions }) => [roleKey(name, clientId), new Set(permissions)])),
    groups: new Map(granting.map(([groupId, given]) => [loginKey(paths.get(groupId) ?? ""), given])),
  };
}

/** A role or group of the files. */
interface Theirs {
  /** The permissions that it gives according to the files. */
  readonly gives?: Given;
  /** Tells whether the files have another role or group of this name. */
  readonly isTheirs?: (name: string) => boolean;
}

/**
 * Decides the names of imported roles and groups. A name that exists here must not make administrators: if the role or group here gives permissions
 * that the one of the files does not give, the imported one gets another name.
 */
export class Naming {
  readonly #source: string;
  readonly #powers: Powers;
  readonly #report: Report;
  readonly #reserved = new Set<string>();

  constructor(source: string, powers: Powers, report: Report) {
    this.#source = source;
    this.#powers = powers;
    this.#report = report;
  }

  /** Reserves a name for a role that the translation itself makes. */
  reserve(name: string): void {
    this.#reserved.add(roleKey(name, null));
  }

  /** Returns the name of a role of the realm, or of a client. */
  role(name: string, theirs: Theirs = {}, clientId: string | null = null): string {
    const isTaken = (one: string) => {
      const key = roleKey(one, clientId);
      return this.#reserved.has(key) || givesMore(this.#powers.roles.get(key), theirs.gives);
    };
    return this.#freeName("role", name, isTaken, theirs);
  }

  /** Returns the own name of a group below the groups with these names. */
  group(above: readonly string[], name: string, theirs: Theirs = {}): string {
    const isTaken = (one: string) => {
      const names = [...above, one];
      // Members also have the roles of the groups above, if the realm enables inheritance.
      return names.some((_, at) => givesMore(this.#powers.groups.get(groupKey(names.slice(0, at + 1))), theirs.gives));
    };
    return this.#freeName("group", name, isTaken, theirs);
  }

  #freeName(kind: string, name: string, isTaken: (name: string) => boolean, { isTheirs = () => false }: Theirs): string {
    if (!isTaken(name)) return name;
    for (let number = 1; ; number++) {
      const end = number === 1 ? "" : ` ${number}`;
      const free = `${cut(`${this.#source} ${name}`, MAX_NAME - end.length)}${end}`;
      if (isTaken(free) || isTheirs(free)) continue;
      this.#report.choice(
        `The ${kind} “${cut(name, 100)}” comes as “${cut(free, 120)}”: the ${kind} here of that name gives permissions of the admin API. Where applications ask for it by name, rename the one here first; its holders are to be administrators only if you give them the one here`,
      );
      return free;
    }
  }
}

const givesMore = (here: Given | undefined, theirs: Given = NOTHING): boolean =>
  here !== undefined && [...here].some((permission) => !allows(theirs, permission));
