import Type, { type Static } from "typebox";
import { creationTime, nullable, oneOf } from "../../platform/http/index.ts";
import { CreateClient } from "../clients/index.ts";
import { CreateSamlClient } from "../saml-clients/index.ts";
import { templateNames, templates } from "./templates.ts";

const kinds = [
  ...templateNames.map((name) => `\`${name}\`: ${templates[name].label.replace(/^./, (first) => first.toLowerCase())}`),
  "`saml`: a SAML 2.0 service provider",
].join("; ");
const template = oneOf([...templateNames, "saml"], { description: `The kind of application. ${kinds}` });

/** The client settings for application owners. The others are at /clients. */
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

/** The members of a SAML application besides the shared ones. */
const { entityId, assertionConsumerServiceUrl, singleLogoutServiceUrl } = CreateSamlClient.properties;

const text = nullable(Type.String());
const texts = Type.Array(Type.String());
const ofSaml = (description: string) => nullable(Type.String(), `${description}. Null for others`);

export const Application = Type.Object(
  {
    realmId: Type.String(),
    name: Type.String({ description: "The identifier: the OAuth client id, or `<realm>|<entityId>`" }),
    protocol: oneOf(["oidc", "saml"]),
    clientRef: Type.String({
      description: "The `id` of its client at `/clients`, or its entityId at `/saml-clients`, which have all other settings",
    }),
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
    entityId: ofSaml("The entity id of a SAML application"),
    assertionConsumerServiceUrl: ofSaml("The address to which assertions for a SAML application are sent"),
    singleLogoutServiceUrl: ofSaml("The address to which browsers are sent to sign out of a SAML application"),
    createdAt: creationTime,
  },
  { $id: "Application" },
);
export type Application = Static<typeof Application>;
export type VersionedApplication = Application & { readonly version: number };

export const CreatedApplication = Type.Object(
  {
    ...Application.properties,
    secret: Type.Optional(Type.String({ description: "The secret, if the application can keep one. It is shown only here" })),
  },
  { $id: "CreatedApplication" },
);

export const CreateApplication = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: "The OAuth client id. For a SAML application it is derived from `entityId` and can be omitted",
        examples: ["shop"],
      }),
    ),
    template,
    ...state,
    entityId: Type.Optional(entityId),
    assertionConsumerServiceUrl: Type.Optional(assertionConsumerServiceUrl),
    singleLogoutServiceUrl,
  },
  { $id: "CreateApplication", additionalProperties: false },
);
export type CreateApplication = Static<typeof CreateApplication>;

/** The full state of the members that it shows. The other settings of its client stay. */
export const UpdateApplication = Type.Object(
  { ...Type.Partial(Application).properties, ...state, singleLogoutServiceUrl, enabled: Type.Boolean() },
  { $id: "UpdateApplication", additionalProperties: false },
);
export type UpdateApplication = Static<typeof UpdateApplication>;
