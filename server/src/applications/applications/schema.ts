import Type, { type Static } from "typebox";
import { oneOf } from "../../platform/http/index.ts";
import { CreateClient } from "../clients/index.ts";
import { templateNames, templates } from "./templates.ts";

const kinds = templateNames.map((name) => `\`${name}\`: ${templates[name].label.toLowerCase()}`).join("; ");
const template = oneOf(templateNames, { description: `What kind of application it is. ${kinds}` });

/** The members of the client that matter to whoever runs the application; the others are at /clients. */
const {
  name: displayName,
  enabled,
  description,
  redirectUris,
  postLogoutRedirectUris,
  webOrigins,
  scopes,
  clientUri,
  logoUri,
} = CreateClient.properties;
const state = { displayName, enabled, description, redirectUris, postLogoutRedirectUris, webOrigins, scopes, clientUri, logoUri };

const text = Type.Union([Type.String(), Type.Null()]);
const texts = Type.Array(Type.String());

export const Application = Type.Object(
  {
    realmId: Type.String(),
    name: Type.String({ description: "Its key: OAuth's client id" }),
    protocol: Type.Literal("oidc"),
    clientRef: Type.String({ description: "The `id` of its OIDC client, where everything else about it can be set" }),
    template,
    displayName: text,
    enabled: Type.Boolean(),
    description: text,
    redirectUris: texts,
    postLogoutRedirectUris: texts,
    webOrigins: texts,
    scopes: texts,
    clientUri: text,
    logoUri: text,
    createdAt: Type.Integer({ description: "Epoch milliseconds" }),
  },
  { $id: "Application" },
);
export type Application = Static<typeof Application>;

export const CreatedApplication = Type.Object(
  {
    ...Application.properties,
    secret: Type.Optional(Type.String({ description: "Of an application that can keep one. Shown here and nowhere else" })),
  },
  { $id: "CreatedApplication" },
);

export const CreateApplication = Type.Object(
  { name: CreateClient.properties.clientId, template, ...state },
  { $id: "CreateApplication", additionalProperties: false },
);
export type CreateApplication = Static<typeof CreateApplication>;

/** The full state of what it shows; what else its client has stays. */
export const UpdateApplication = Type.Object(
  { ...Type.Partial(Application).properties, ...state, enabled: Type.Boolean() },
  { $id: "UpdateApplication", additionalProperties: false },
);
export type UpdateApplication = Static<typeof UpdateApplication>;
