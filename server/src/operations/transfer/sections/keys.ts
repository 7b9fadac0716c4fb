import { adoptKey, CarriedKey, readCarriedKeys } from "../../../tenancy/keys/index.ts";
import { bodyOf, Secret, type Section } from "../section.ts";

/** Signing keys, only in exports with sealed secrets. An import never removes a key, because its signatures must still verify. */
export const keys: Section = {
  name: "keys",
  tables: ["realm_keys", "realm_key_companions", "realm_companion_keys"],
  permission: { read: "realm-admin", write: "realm-admin" },
  schema: CarriedKey,
  keyOf: (item) => String(item.keyId),
  ignoresCase: true,
  isSecret: true,
  read: async (ctx, { vault }) =>
    (await readCarriedKeys(ctx, vault)).map(({ privateKey, companions, ...key }) => ({
      key: key.keyId,
      id: key.keyId,
      item: {
        ...key,
        privateKey: new Secret(privateKey),
        companions: companions.map((companion) => ({ ...companion, privateKey: new Secret(companion.privateKey) })),
      },
    })),
  async create(ctx, { vault }, item) {
    await adoptKey(ctx, vault, bodyOf(item));
    return String(item.keyId);
  },
  async update(ctx, { vault }, _current, item) {
    await adoptKey(ctx, vault, bodyOf(item));
  },
};
