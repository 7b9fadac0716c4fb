// Stores the engine's state. Sessions belong to signin/sessions and clients to applications/clients: models/session.ts and models/client.ts
// replace their adapters.
import type { Adapter, AdapterFactory } from "oidc-provider";
import { GrantsAdapter } from "./grants.adapter.ts";
import type { AdapterParts } from "./parts.ts";
import { RecordsAdapter } from "./records.adapter.ts";

/** For models that the engine does not store. */
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
