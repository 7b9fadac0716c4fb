import Type, { type Static, type TSchema } from "typebox";
import { oneOf, visibleName } from "../../platform/http/index.ts";
import type { IdentityProviderProtocol } from "./protocol.ts";
import { protocols } from "./protocols.ts";

const all: Readonly<Record<string, IdentityProviderProtocol>> = protocols;
const protocol = oneOf(Object.keys(all));
const alias = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$",
  description: "letters, digits, dots, dashes and underscores, up to 63 of them. It is part of the provider's redirect URI",
  examples: ["corporate"],
});
const displayName = visibleName("A display name", "Corporate account");
const configText = "The settings of the protocol. Secret members are never shown; `…Set` tells whether they are stored";

export const IdentityProvider = Type.Object(
  {
    realmId: Type.String(),
    alias: Type.String(),
    protocol,
    displayName: Type.String(),
    enabled: Type.Boolean(),
    config: Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true, description: configText }),
  },
  { $id: "IdentityProvider" },
);
export type IdentityProvider = Static<typeof IdentityProvider>;

/** The config of each protocol as JSON Schema, so that the error names every wrong member. */
const configRules = Object.entries(all).map(([name, { config }]) => ({
  if: { type: "object", required: ["protocol"], properties: { protocol: { const: name } } },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema's word
  then: { properties: { config }, ...((config.required ?? []).length > 0 && { required: ["config"] }) },
}));

/** Secret members are listed here too, so that a patch keeps their null, which is refused, instead of treating it as omitted. */
const secretMembers = Object.fromEntries(
  [...new Set(Object.values(all).flatMap(({ secrets }) => secrets))].map((name) => [name, { writeOnly: true } as TSchema]),
);
const config = Type.Optional(
  Type.Unsafe<Record<string, unknown>>({ type: "object", properties: secretMembers, maxProperties: 100, description: configText }),
);
const realmId = Type.Optional(Type.String());

export const CreateIdentityProvider = Type.Object(
  {
    realmId,
    alias,
    protocol,
    displayName: Type.Optional(displayName),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    config,
  },
  { $id: "CreateIdentityProvider", additionalProperties: false, allOf: configRules },
);
export type CreateIdentityProvider = Static<typeof CreateIdentityProvider>;

/** The full state. The response of GET is a valid one. */
export const UpdateIdentityProvider = Type.Object(
  {
    realmId,
    alias: Type.Optional(Type.String()),
    protocol,
    displayName: Type.Optional(displayName),
    enabled: Type.Boolean(),
    config,
  },
  { $id: "UpdateIdentityProvider", additionalProperties: false, allOf: configRules },
);
export type UpdateIdentityProvider = Static<typeof UpdateIdentityProvider>;

export const ProviderTest = Type.Object(
  {
    ok: Type.Boolean({ description: "True if everything that was checked is right" }),
    checks: Type.Array(Type.Object({ name: Type.String(), ok: Type.Boolean(), message: Type.String() })),
  },
  { $id: "IdentityProviderTest" },
);
export type ProviderTest = Static<typeof ProviderTest>;
