import Type, { type Static } from "typebox";
import { ATTRIBUTE_NAME } from "../../directory/users/index.ts";
import { creationTime, lineText, oneOf, visibleName } from "../../platform/http/index.ts";

const state = {
  name: visibleName("A mapper's name", "Sales staff"),
  type: oneOf(["attribute", "template", "role", "group"], {
    description:
      "attribute: a claim becomes an attribute of the user. template: a text with claims in it becomes an attribute. role, group: users with a claim, or all users, get a role or join a group",
  }),
  claim: Type.Optional(
    lineText(
      "the claim to read: a claim of OpenID Connect, or an attribute of SAML or of a directory. Dots lead into objects. `groups` of a directory: the groups of the user. role and group: if omitted, all users",
    ),
  ),
  value: Type.Optional(
    lineText(
      "role and group: the exact value that the claim must have, or contain among others. `groups` of a directory: the distinguished name of a group, or its name",
      1000,
    ),
  ),
  template: Type.Optional(lineText("template: `{given_name} {family_name}`", 1000)),
  attribute: Type.Optional(
    Type.String({
      pattern: ATTRIBUTE_NAME,
      description:
        "attribute and template: the attribute of the user; letters, digits, dots, dashes, colons and underscores, up to 128 of them",
    }),
  ),
  role: Type.Optional(lineText("role: the name of a role of the realm")),
  group: Type.Optional(lineText("group: the id of a group")),
  sync: Type.Optional(
    oneOf(["import", "force"], {
      default: "force",
      description:
        "import: when the account is created. force: at each sign-in, and at each sync of a directory; what the mapper gave is withdrawn when the claim no longer has the value",
    }),
  ),
};

export const ProviderMapper = Type.Object(
  {
    mapperId: Type.String({ format: "uuid" }),
    ...state,
    name: Type.String(),
    sync: oneOf(["import", "force"]),
    createdAt: creationTime,
  },
  { $id: "IdentityProviderMapper" },
);
export type ProviderMapper = Static<typeof ProviderMapper>;

export const CreateProviderMapper = Type.Object(state, { $id: "CreateIdentityProviderMapper", additionalProperties: false });
export type CreateProviderMapper = Static<typeof CreateProviderMapper>;

export const UpdateProviderMapper = Type.Object(
  { mapperId: Type.Optional(Type.String()), createdAt: Type.Optional(Type.Integer()), ...state },
  { $id: "UpdateIdentityProviderMapper", additionalProperties: false },
);
export type UpdateProviderMapper = Static<typeof UpdateProviderMapper>;

/** A mapper's state, in the form that is stored and applied by sign-ins. */
export type MapperState = Omit<CreateProviderMapper, "name" | "sync"> & { readonly sync: "import" | "force" };
