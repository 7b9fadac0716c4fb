import Type from "typebox";
import { lineText, oneOf } from "../../platform/http/index.ts";
import { urlFaults } from "../../platform/outbound/index.ts";
import { asymmetricAlgs } from "../../tenancy/keys/index.ts";
import { brokerDefaults, brokerHarmless, brokerMembers, fault, secretSet, secretText, urlText } from "../providers/members.ts";
import type { IdentityProviderProtocol } from "../providers/protocol.ts";
import type { CheckTools, Config, FieldFault, OpenProvider } from "../providers/provider.ts";
import { oidcBroker } from "./broker.ts";
import { filledUrl } from "./metadata.ts";
import type { Quirks } from "./quirks.ts";
import { privateKeyFault } from "./signing-key.ts";
import { testOidc } from "./test-call.ts";

const scope = Type.String({ pattern: "^[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,255}$", description: "a scope is ASCII without spaces" });

const members = {
  issuer: Type.Optional(urlText("the issuer, whose discovery document supplies the members that are omitted here")),
  clientId: lineText("the id by which the provider knows this realm", 1024),
  clientSecret: Type.Optional(secretText("The secret that the provider issued")),
  clientSecretSet: Type.Optional(secretSet),
  scopes: Type.Optional(
    Type.Union(
      [
        Type.Array(scope, { maxItems: 50, uniqueItems: true }),
        Type.String({ maxLength: 2000, pattern: "^[\\x20\\x21\\x23-\\x5B\\x5D-\\x7E]*$" }),
      ],
      { description: "The scopes to request, as a list or as words separated by spaces" },
    ),
  ),
  authorizationUrl: Type.Optional(urlText("the authorization endpoint")),
  tokenUrl: Type.Optional(urlText("the token endpoint")),
  userinfoUrl: Type.Optional(urlText("the userinfo endpoint")),
  jwksUrl: Type.Optional(urlText("the keys of ID tokens")),
  logoutUrl: Type.Optional(
    urlText("the page where users sign out at the provider. Default the `end_session_endpoint` of its discovery document"),
  ),
  logoutUpstream: Type.Optional(
    Type.Boolean({ description: "True: a logout here continues at the provider, if it has a logout address. Default true" }),
  ),
  storeTokens: Type.Optional(
    Type.Boolean({
      description: "True: the provider's tokens are stored, encrypted, for users to read with a token of their own. Default false",
    }),
  ),
  forwardParameters: Type.Optional(
    Type.Array(oneOf(["login_hint", "ui_locales", "acr_values", "prompt"]), {
      maxItems: 4,
      uniqueItems: true,
      description: "The parameters of the sign-in request that are passed on. Default login_hint, ui_locales, prompt",
    }),
  ),
  trustPrompt: Type.Optional(
    Type.Boolean({
      description:
        "True: a sign-in for which `prompt` was sent counts as new, even if the ID token has no `auth_time`. Default false: without `auth_time` it is refused if a new sign-in is needed",
    }),
  ),
  pkce: Type.Optional(
    Type.Boolean({
      description: "True: the provider gets a code challenge (RFC 7636, S256). Default true; false for linkedin, which refuses it",
    }),
  ),
  clientAuthMethod: Type.Optional(
    oneOf(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"], {
      description:
        "The client authentication method. Default private_key_jwt if there is a private key, otherwise a method that discovery offers, client_secret_post first",
    }),
  ),
  privateKey: Type.Optional(secretText("The private key in PEM (PKCS #8) for private_key_jwt: RSA, P-256 or Ed25519")),
  privateKeySet: Type.Optional(secretSet),
  signedResponseAlg: Type.Optional(
    oneOf([...asymmetricAlgs], {
      description:
        "The algorithm with which the provider signs ID tokens, logout tokens and userinfo for this client, as registered at the provider; any other is refused. Default RS256",
    }),
  ),
  acceptIdentityAssertions: Type.Optional(
    Type.Boolean({
      description:
        "True: with an identity assertion (ID-JAG) of the provider and the grant type jwt-bearer, applications get tokens for linked users without asking them. Default false",
    }),
  ),
  keyId: Type.Optional(lineText("the `kid` under which the provider knows the key")),
  multiFactorAcr: Type.Optional(
    Type.Array(lineText("one line of text"), { maxItems: 50, uniqueItems: true, description: "Values of `acr` that count as two factors" }),
  ),
  multiFactorAmr: Type.Optional(
    Type.Array(lineText("one line of text"), { maxItems: 50, uniqueItems: true, description: "Values of `amr` that count as two factors" }),
  ),
  ...brokerMembers,
};

const common = {
  ...{ pkce: true, multiFactorAcr: [], multiFactorAmr: [], logoutUpstream: true, storeTokens: false, trustPrompt: false },
  acceptIdentityAssertions: false,
  signedResponseAlg: "RS256",
  forwardParameters: ["login_hint", "ui_locales", "prompt"],
  ...brokerDefaults,
};
const ADDRESSES = ["issuer", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl"] as const;

/** The secrets that each method of client authentication does not use. */
const UNUSED: Readonly<Record<string, readonly string[]>> = {
  none: ["clientSecret", "privateKey"],
  client_secret_basic: ["privateKey"],
  client_secret_post: ["privateKey"],
  private_key_jwt: ["clientSecret"],
};

interface Kind {
  readonly members?: Record<string, Type.TSchema>;
  /** Members of plain OpenID Connect that have no meaning here. */
  readonly without?: readonly string[];
  readonly required?: readonly string[];
  readonly defaults?: Config;
  readonly subjectMembers?: readonly string[];
  readonly check?: IdentityProviderProtocol["check"];
  /** If omitted, a key is shown. */
  readonly mark?: IdentityProviderProtocol["mark"];
  readonly quirks: Quirks;
}

/** Describes a kind of OpenID Connect, or of OAuth 2 alone, with the additions of a preset. */
export function oidcKind({
  members: own = {},
  without = [],
  required = [],
  defaults = {},
  subjectMembers = [],
  check,
  mark,
  quirks,
}: Kind): IdentityProviderProtocol {
  const filled = (config: Config): Config => ({ ...common, ...defaults, ...config });
  const all = Object.fromEntries(Object.entries<Type.TSchema>({ ...members, ...own }).filter(([name]) => !without.includes(name)));
  const needed = ["clientId", ...required];
  return {
    config: { ...Type.Object(all, { additionalProperties: false }), required: needed } as Type.TObject,
    defaults: { ...common, ...defaults },
    secrets: ["clientSecret", "privateKey"].filter((name) => !without.includes(name)),
    harmless: brokerHarmless,
    subjectMembers: ["issuer", ...subjectMembers],
    addresses: (config) => ADDRESSES.map((member) => filledUrl(filled(config), member)).filter((url) => url !== null),
    unusedSecrets: ({ clientAuthMethod }) => (clientAuthMethod === undefined ? [] : (UNUSED[String(clientAuthMethod)] ?? [])),
    check: (provider, tools) => [...commonFaults(provider, tools, !without.includes("clientSecret")), ...(check?.(provider, tools) ?? [])],
    test: testOidc,
    broker: oidcBroker(quirks),
    ...(mark && { mark }),
  };
}

function commonFaults(
  { config, secrets }: Pick<OpenProvider, "config" | "secrets">,
  { outbound }: CheckTools,
  hasSecret: boolean,
): FieldFault[] {
  const faults: FieldFault[] = [...ADDRESSES, "logoutUrl"].flatMap((member) => {
    const url = filledUrl(config, member);
    return url === null ? [] : urlFaults(outbound, `config.${member}`, url);
  });
  const { issuer } = config;
  // OpenID Connect Discovery §3
  if (typeof issuer === "string" && /[?#]/.test(issuer)) faults.push(fault("issuer", "must not have a query or fragment"));
  const method = config.clientAuthMethod;
  const usesKey = method === "private_key_jwt";
  if (usesKey && secrets.privateKey === undefined) faults.push(fault("privateKey", "is required for private_key_jwt"));
  const usesSecret = method === "client_secret_basic" || method === "client_secret_post";
  if (usesSecret && secrets.clientSecret === undefined) faults.push(fault("clientSecret", `is required for ${method}`));
  if (hasSecret && method === undefined && secrets.clientSecret === undefined && secrets.privateKey === undefined)
    faults.push(fault("clientSecret", "is required: send it with any change of scheme, host or port, or set clientAuthMethod to none"));
  const keyFault = secrets.privateKey === undefined ? null : privateKeyFault(secrets.privateKey);
  if (keyFault !== null) faults.push(fault("privateKey", keyFault));
  return faults;
}
