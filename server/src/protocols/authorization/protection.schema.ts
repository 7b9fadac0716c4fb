import Type, { type Static } from "typebox";
import { nullable, shownText } from "../../platform/http/index.ts";

const text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const scope = Type.Union([text(255), Type.Object({ name: text(255) }, { additionalProperties: true })]);
const scopes = Type.Optional(Type.Array(scope, { maxItems: 100 }));
const uri = text(2048);

/** A resource of UMA 2.0 Federated Authorization §3.1, with Keycloak's members. Unknown members are ignored. */
export const ResourceDescription = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 255 })),
    displayName: Type.Optional(nullable(shownText())),
    description: Type.Optional(Type.String({ maxLength: 255, description: "Used as `displayName` if there is none" })),
    type: Type.Optional(nullable(text(255))),
    uri: Type.Optional(nullable(uri)),
    uris: Type.Optional(Type.Array(uri, { maxItems: 50 })),
    resource_scopes: scopes,
    scopes,
    icon_uri: Type.Optional(nullable(uri)),
    owner: Type.Optional(
      Type.Union([text(255), Type.Object({ id: text(255) }, { additionalProperties: true }), Type.Null()], {
        description:
          "The owner: a user by id, as in `sub`, or null for the resource server itself. If omitted, null for a new resource; otherwise it is unchanged",
      }),
    ),
    ownerManagedAccess: Type.Optional(
      Type.Boolean({
        description: "True if the owner can share the resource. If omitted, false for a new resource; otherwise it is unchanged",
      }),
    ),
    attributes: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 128 }), Type.Array(Type.String({ maxLength: 1024 }), { maxItems: 50 }), {
        maxProperties: 50,
      }),
    ),
  },
  { $id: "UmaResourceDescription", additionalProperties: true, examples: [{ name: "Album", resource_scopes: ["view", "print"] }] },
);
export type ResourceDescription = Static<typeof ResourceDescription>;

export const RegisteredResource = Type.Object(
  {
    _id: Type.String(),
    name: Type.String(),
    displayName: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    uris: Type.Array(Type.String()),
    resource_scopes: Type.Array(Type.String()),
    scopes: Type.Array(Type.Object({ name: Type.String() })),
    icon_uri: Type.Optional(Type.String()),
    owner: Type.Object({ id: Type.String(), name: Type.Optional(Type.String()) }),
    ownerManagedAccess: Type.Boolean(),
    attributes: Type.Record(Type.String(), Type.Array(Type.String())),
    user_access_policy_uri: Type.Optional(Type.String({ description: "The page on which the owner shares the resource" })),
  },
  { $id: "UmaResource" },
);
export type RegisteredResource = Static<typeof RegisteredResource>;

const PermissionRequest = Type.Object(
  {
    resource_id: text(255),
    resource_scopes: Type.Optional(Type.Array(text(255), { maxItems: 100 })),
    claims: Type.Optional(Type.Record(Type.String({ maxLength: 128 }), Type.Unknown(), { maxProperties: 50 })),
  },
  { additionalProperties: true },
);
/** One or several requests (UMA 2.0 Federated Authorization §4.1). */
export const PermissionRequests = Type.Union([PermissionRequest, Type.Array(PermissionRequest, { minItems: 1, maxItems: 100 })], {
  $id: "UmaPermissionRequests",
  examples: [[{ resource_id: "019b76da-a800-7b1c-9d2e-4f5a6b7c8d9e", resource_scopes: ["view"] }]],
});
export type PermissionRequests = Static<typeof PermissionRequests>;

export const Ticket = Type.Object({ ticket: Type.String() }, { $id: "UmaTicket" });
