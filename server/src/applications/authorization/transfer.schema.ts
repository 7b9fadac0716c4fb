import Type, { type Static } from "typebox";
import { CreateAuthzPolicy } from "./policies.schema.ts";
import { AuthzSettings, CreateAuthzPermission, CreateAuthzResource, CreateAuthzScope } from "./schema.ts";

const { realmId: _realm, clientId: _client, ...settings } = AuthzSettings.properties;
const { owner: _owner, ownerManagedAccess: _managed, ...resource } = CreateAuthzResource.properties;

/** The authorization services of one client in documents of a realm, without the data of users, and without ids. */
export const AuthorizationItem = Type.Object(
  {
    clientId: Type.String({ minLength: 1, maxLength: 255, description: "The client id" }),
    ...Type.Partial(Type.Object(settings)).properties,
    scopes: Type.Optional(Type.Array(Type.Object(CreateAuthzScope.properties, { additionalProperties: false }), { maxItems: 1_000 })),
    resources: Type.Optional(Type.Array(Type.Object(resource, { additionalProperties: false }), { maxItems: 100_000 })),
    policies: Type.Optional(
      Type.Array(
        Type.Object(
          {
            ...CreateAuthzPolicy.properties,
            users: Type.Optional(
              Type.Array(Type.String({ minLength: 1, maxLength: 320 }), {
                maxItems: 100,
                description: "By username. Where the realm has no such user, the policy cannot tell about them, which denies",
              }),
            ),
          },
          { additionalProperties: false },
        ),
        { maxItems: 5_000 },
      ),
    ),
    permissions: Type.Optional(
      Type.Array(Type.Object(CreateAuthzPermission.properties, { additionalProperties: false }), { maxItems: 5_000 }),
    ),
  },
  { additionalProperties: false },
);
export type AuthorizationItem = Static<typeof AuthorizationItem>;
