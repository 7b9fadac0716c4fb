// Where the engine's state is kept. Sessions are those of signin/sessions and clients those of applications/clients: see session.ts and
// client.ts, which the engine meets before it would ask an adapter.
import type { Adapter, AdapterFactory } from "oidc-provider";
import type { Db } from "../../../../platform/db/index.ts";
import { GrantsAdapter } from "./grants.adapter.ts";
import { RecordsAdapter } from "./records.adapter.ts";

export interface AdapterParts {
  readonly db: Db;
  readonly realm: string;
}

/** JWTs are not stored, and nothing is found by them here. */
const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

const notStored = new Set(["AccessToken", "ClientCredentials", "RefreshToken", "Session", "Client"]);

export const createAdapters =
  (parts: AdapterParts): AdapterFactory =>
  (model) =>
    notStored.has(model) ? nothing : model === "Grant" ? new GrantsAdapter(parts) : new RecordsAdapter(parts, model);
