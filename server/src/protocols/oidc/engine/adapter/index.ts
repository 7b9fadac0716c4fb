// Where the engine's state is kept. Sessions are those of signin/sessions and clients those of applications/clients: see models/session.ts and
// models/client.ts, which the engine asks instead of an adapter.
import type { Adapter, AdapterFactory } from "oidc-provider";
import { GrantsAdapter } from "./grants.adapter.ts";
import type { AdapterParts } from "./parts.ts";
import { RecordsAdapter } from "./records.adapter.ts";

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
