import { type Generated, type Selectable, sql } from "kysely";
import { likePrefix } from "../../kernel/text.ts";
import type { Vault } from "../../kernel/vault.ts";
import {
  type Db,
  deleteRows,
  findRow,
  insertReturning,
  nextVersion,
  type Tx,
  translating,
  updateReturning,
} from "../../platform/db/index.ts";
import { type ListQuery, listOrder, mapPage, type Page, pageOf } from "../../platform/paging/index.ts";
import type { Channel, Provider } from "./driver.ts";
import { providerErrors } from "./errors.ts";

interface MessagingProvidersTable {
  realm_id: string;
  channel: Channel;
  driver: string;
  provider_id: string;
  enabled: Generated<boolean>;
  from_address: string | null;
  from_name: string | null;
  config: Record<string, unknown>;
  secret: string | null;
  created_at: number;
  version: Generated<number>;
}

declare module "../../platform/db/tables.ts" {
  interface Tables {
    messaging_providers: MessagingProvidersTable;
  }
}

/** A stored provider with its secret encrypted. */
export interface ProviderRow {
  readonly id: string;
  readonly realmId: string;
  readonly channel: Channel;
  readonly driver: string;
  readonly enabled: boolean;
  readonly fromAddress: string | null;
  readonly fromName: string | null;
  readonly config: Record<string, unknown>;
  readonly sealedSecret: string | null;
  readonly version: number;
}
/** The members that a change may set. */
export type ProviderState = Pick<ProviderRow, "enabled" | "fromAddress" | "fromName" | "config" | "sealedSecret">;

/** Returns the place of a secret, which is a part of its ciphertext's additional data. */
export const secretPlace = (realm: string, providerId: string) => ({
  realm,
  table: "messaging_providers",
  column: "secret",
  row: providerId,
});

const columns = [
  "realm_id",
  "channel",
  "driver",
  "provider_id",
  "enabled",
  "from_address",
  "from_name",
  "config",
  "secret",
  "version",
] as const;
type Columns = Pick<Selectable<MessagingProvidersTable>, (typeof columns)[number]>;

// A realm has at most six providers, so sorting needs no index.
const order = listOrder("channel", { channel: "channel", driver: "driver", createdAt: "created_at" }, "provider_id");

export async function listProviders(db: Db, realm: string, query: ListQuery): Promise<Page<ProviderRow>> {
  const { search } = query;
  const base = db
    .selectFrom("messaging_providers")
    .select(columns)
    .where("realm_id", "=", realm)
    .$if(search !== undefined && search !== "", (q) =>
      q.where((eb) =>
        eb.or([
          eb("driver", "like", likePrefix(search!.toLowerCase())),
          eb("channel", "like", likePrefix(search!.toUpperCase()) as Channel),
          eb(sql`provider_id::text`, "=", search!.toLowerCase()),
        ]),
      ),
    );
  return mapPage(await pageOf(db, base, order, query), toProvider);
}

export async function findProviderRow(db: Db, realm: string, channel: Channel, driver: string): Promise<ProviderRow | null> {
  const row = await findRow(db, "messaging_providers", columns, { realm_id: realm, channel, driver });
  return row ? toProvider(row) : null;
}

export async function findEnabled(db: Db, realm: string, channel: Channel): Promise<ProviderRow | null> {
  const row = await findRow(db, "messaging_providers", columns, { realm_id: realm, channel, enabled: true });
  return row ? toProvider(row) : null;
}

const oneEnabled = (channel: Channel) => ({
  messaging_providers_one_enabled: (cause?: unknown) => providerErrors.channel_taken(channel, "", cause),
});

export async function insertProvider(
  tx: Tx,
  key: { readonly realm: string; readonly id: string; readonly channel: Channel; readonly driver: string },
  state: ProviderState,
  now: number,
): Promise<ProviderRow> {
  const { realm, id, channel, driver } = key;
  const row = { realm_id: realm, channel, driver, provider_id: id, ...toColumns(state), created_at: now };
  return toProvider(await translating(oneEnabled(channel), insertReturning(tx, "messaging_providers", row, columns)));
}

export async function updateProvider(tx: Tx, { realmId, channel, driver }: ProviderRow, state: ProviderState): Promise<ProviderRow> {
  const key = { realm_id: realmId, channel, driver };
  const change = { ...toColumns(state), version: nextVersion };
  return toProvider(await translating(oneEnabled(channel), updateReturning(tx, "messaging_providers", key, change, columns)));
}

export async function deleteProvider(tx: Tx, { realmId, channel, driver }: ProviderRow): Promise<void> {
  await deleteRows(tx, "messaging_providers", { realm_id: realmId, channel, driver });
}

const toColumns = (state: ProviderState) => ({
  enabled: state.enabled,
  from_address: state.fromAddress,
  from_name: state.fromName,
  config: sql<Record<string, unknown>>`${JSON.stringify(state.config)}::text::jsonb`,
  secret: state.sealedSecret,
});

const toProvider = (row: Columns): ProviderRow => ({
  id: row.provider_id,
  realmId: row.realm_id,
  channel: row.channel,
  driver: row.driver,
  enabled: row.enabled,
  fromAddress: row.from_address,
  fromName: row.from_name,
  config: row.config,
  sealedSecret: row.secret,
  version: row.version,
});

export const openSecret = ({ realmId, id, sealedSecret }: ProviderRow, vault: Vault): string | null =>
  sealedSecret === null ? null : vault.open(sealedSecret, secretPlace(realmId, id));

/** Returns the enabled provider of a channel with its secret opened, or null if the channel cannot send. */
export async function findProvider(db: Db, vault: Vault, realm: string, channel: Channel): Promise<Provider | null> {
  const row = await findEnabled(db, realm, channel);
  if (!row) return null;
  const { id, version, driver, fromAddress, fromName, config } = row;
  return { id, realm, version, channel, driver, fromAddress, fromName, config, secret: openSecret(row, vault) };
}
