import { sql } from "kysely";
import type { Core } from "../core.ts";
import { VaultError } from "../kernel/vault.ts";
import { inTransaction } from "../platform/db/index.ts";
import { generateKey, rotateKey } from "../tenancy/keys/index.ts";
import { MASTER } from "../tenancy/realms/index.ts";
import type { Command, ExitCode, Invocation } from "./command.ts";
import { cliOrigin, requireRealm, withCore } from "./core.ts";
import { type SealedColumn, sealedColumns } from "./sealed-columns.ts";

export const run: Command = async (call) => (call.action === "rotate" ? rotate(call) : rewrap(call));

async function rotate(call: Invocation): Promise<ExitCode> {
  const [realm = ""] = call.args;
  const { keyId } = await withCore(call, async (core) => {
    await requireRealm(core, realm);
    const key = await generateKey(core.vault, realm);
    return core.work.transact(cliOrigin(realm), (ctx) => rotateKey(ctx, core.vault, key));
  });
  call.print({ realm, keyId }, `The realm ${realm} now signs with the key ${keyId}. The one before stays published.`);
  return 0;
}

/**
 * Seals every column again, a batch per transaction. It can be stopped at any moment: the next run continues. Servers may run meanwhile if they have both keys.
 * The canary comes last, as the sign that the old key is no longer needed.
 */
async function rewrap(call: Invocation): Promise<ExitCode> {
  const { keyId, columns, rewrapped } = await withCore(call, async (core) => {
    const columns = [];
    for (const column of sealedColumns)
      columns.push({ column: `${column.table}.${column.column}`, rewrapped: await rewrapColumn(core, column) });
    const rewrapped = columns.reduce((sum, done) => sum + done.rewrapped, 0);
    if (rewrapped > 0 && (await core.realms.get(MASTER))) {
      const detail = `rewrap: ${rewrapped} under ${core.vault.keyId}`;
      await core.work.transact(cliOrigin(MASTER), async (ctx) =>
        ctx.audit({ category: "ADMIN", type: "ADMIN_ACTION", resourceType: "keys", detail }),
      );
    }
    return { keyId: core.vault.keyId, columns, rewrapped };
  });
  const lines = columns.map((done) => `${done.column}: ${done.rewrapped}`);
  const summary =
    rewrapped === 0
      ? `Everything was sealed under the master key ${keyId} already.`
      : `Sealed ${rewrapped} again under the master key ${keyId}. Older keys can be removed from GATEHOUSE_MASTER_KEY_PREVIOUS now.`;
  call.print({ keyId, rewrapped, columns }, [...lines, "", summary].join("\n"));
  return 0;
}

const BATCH = 200;

interface Sealed {
  readonly sealed: string;
  readonly row: string;
  readonly realm: string;
}

export async function rewrapColumn(
  { db, vault }: Pick<Core, "db" | "vault">,
  { table, column, rowKey, realm, type }: SealedColumn,
): Promise<number> {
  const [from, sealed, row] = [sql.table(table), sql.ref(column), sql.ref(rowKey)];
  const owner = realm === null ? null : sql.ref(realm);
  // The rows are read in the order of the primary key, so that a large table is read once.
  const key = owner ? sql`${owner}, ${row}` : row;
  const keyOf = (found: Sealed) => (owner ? sql`(${found.realm}, ${found.row})` : sql`${found.row}`);
  // The type is a literal, so that the index of those rows is used.
  const ofType = type === undefined ? sql`` : sql`and type = ${sql.lit(type)}`;
  let total = 0;
  for (let last: Sealed | undefined; ; ) {
    const batch = await inTransaction(db, async (tx) => {
      const { rows } = await sql<Sealed>`
        select ${sealed} as sealed, ${row}::text as row, ${owner ?? sql`''`} as realm from ${from}
        where not starts_with(${sealed}, ${`v1.${vault.keyId}.`}) ${ofType} ${last ? sql`and (${key}) > ${keyOf(last)}` : sql``}
        order by ${key} limit ${BATCH} for update`.execute(tx);
      for (const found of rows) {
        const place = { realm: found.realm, table, column, row: found.row };
        const renewed = vault.seal(
          open(() => vault.open(found.sealed, place), table, found),
          place,
        );
        await sql`update ${from} set ${sealed} = ${renewed} where (${key}) = ${keyOf(found)} ${ofType}`.execute(tx);
      }
      return rows;
    });
    total += batch.length;
    last = batch.at(-1);
    if (batch.length < BATCH) return total;
  }
}

function open(decrypt: () => string, table: string, { row, realm, sealed }: Sealed): string {
  try {
    return decrypt();
  } catch (cause) {
    const where = `${table} ${row}${realm === "" ? "" : ` of the realm ${realm}`}`;
    const key = sealed.split(".")[1] ?? "unknown";
    throw new Error(
      cause instanceof VaultError
        ? `${where} is sealed under the master key with id ${key}, which is not configured. Add that key to GATEHOUSE_MASTER_KEY_PREVIOUS and run this again; what was done stays done.`
        : `${where} cannot be opened with the key ${key} that sealed it: the row was changed or copied from elsewhere.`,
      { cause },
    );
  }
}
