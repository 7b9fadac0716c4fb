import Type, { type Static } from "typebox";
import {
  CreateClient,
  grantTypes,
  metadataNames,
  oauthAuthMethods,
  responseTypes,
  rulesOfGrantType,
} from "../../../applications/clients/index.ts";
import { oneOf } from "../../../platform/http/index.ts";

/** The metadata members that have the same values in the admin API, under another name. */
export const memberNames = { client_name: "name", ...metadataNames } as const;

/** The members that differ in more than their name. */
export const otherNames = {
  grant_types: "grantTypes",
  response_types: "responseTypes",
  token_endpoint_auth_method: "authMethod",
  scope: "scopes",
  subject_type: "subjectClaim",
} as const;

const spoken = new Map<string, string>(
  [...Object.entries(memberNames), ...Object.entries(otherNames)].map(([oauth, member]) => [member, oauth]),
);

/** Translates field errors of the client rules from admin API names to metadata names. */
export const inOAuthWords = (text: string): string => text.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (word) => spoken.get(word) ?? word);

/** The grant types that clients may register. `implicit` represents the response types that put tokens into an address. */
const registrable = ["implicit" as const, ...grantTypes.filter((type) => rulesOfGrantType(type).isSelfRegistrable)];

/** Returns a response type with its parts in any order. */
const spellings = (type: string): string[] => {
  const orders = (parts: readonly string[]): string[][] =>
    parts.length < 2
      ? [[...parts]]
      : parts.flatMap((part) => orders(parts.filter((other) => other !== part)).map((rest) => [part, ...rest]));
  return orders(type.split(" ")).map((order) => order.join(" "));
};

type Names = typeof memberNames;
const { properties } = CreateClient;

/** The members under their RFC names, with the schemas of the admin API. */
const named = Object.fromEntries(
  Object.entries(memberNames).map(([oauth, member]) => [oauth, properties[member as Names[keyof Names]]]),
) as { [K in keyof Names]: (typeof properties)[Names[K]] };

const members = {
  ...named,
  grant_types: Type.Optional(
    Type.Array(oneOf(registrable), { maxItems: registrable.length, uniqueItems: true, description: "Default `authorization_code`" }),
  ),
  response_types: Type.Optional(
    Type.Array(oneOf(responseTypes.flatMap(spellings)), {
      maxItems: 12,
      description: "Default `code`. The other types need the grant type `implicit`",
    }),
  ),
  token_endpoint_auth_method: Type.Optional(
    oneOf(oauthAuthMethods, { description: "Default `client_secret_basic`. `none` makes a public client" }),
  ),
  scope: Type.Optional(Type.String({ maxLength: 4096, description: "The scopes that it may request, separated by spaces" })),
  subject_type: Type.Optional(oneOf(["public", "pairwise"])),
};

/** A registration (RFC 7591 §2). Unknown members are ignored. */
export const RegistrationRequest = Type.Object(members, { $id: "RegistrationRequest", additionalProperties: true });
export type RegistrationRequest = Static<typeof RegistrationRequest>;

const given = "A client may also send back the values that an administrator set";

/** RFC 7592 §2.2: the policy judges only values beyond the current ones, which may include some that nobody can register. */
export const RegistrationUpdate = Type.Object(
  {
    ...members,
    grant_types: Type.Optional(
      Type.Array(oneOf(["implicit" as const, ...grantTypes]), { maxItems: grantTypes.length + 1, uniqueItems: true, description: given }),
    ),
    token_endpoint_auth_method: Type.Optional(oneOf([...oauthAuthMethods, "federated_jwt" as const], { description: given })),
    client_id: Type.String({ description: "The client id as it was issued" }),
    client_secret: Type.Optional(Type.String({ description: "The current secret, if it is sent" })),
  },
  { $id: "RegistrationUpdate", additionalProperties: true },
);
export type RegistrationUpdate = Static<typeof RegistrationUpdate>;

/** The metadata of a registration or an update. */
export type ClientMetadata = Omit<RegistrationUpdate, "client_id" | "client_secret">;

/** The response of RFC 7591 §3.2.1 and RFC 7592 §3. */
export const RegisteredClient = Type.Object(
  {
    client_id: Type.String(),
    client_secret: Type.Optional(Type.String({ description: "The secret of a confidential client that has one" })),
    client_id_issued_at: Type.Integer({ description: "The time of registration in epoch seconds" }),
    client_secret_expires_at: Type.Optional(Type.Integer({ description: "0, because the secret does not expire" })),
    registration_access_token: Type.String({
      description: "The token for requests to `registration_client_uri`. Each update returns a new one",
    }),
    registration_client_uri: Type.String(),
    ...members,
  },
  { $id: "RegisteredClient" },
);
export type RegisteredClient = Static<typeof RegisteredClient>;

/** The error of RFC 7591 §3.2.2. */
export const RegistrationProblem = Type.Object({ error: Type.String(), error_description: Type.String() }, { $id: "RegistrationProblem" });
