import { type Client, type CreateClient, type ResponseType, toGrantType, type UpdateClient } from "../../../applications/clients/index.ts";
import type { SubjectClaim } from "../../../applications/subject-claim/index.ts";
import { type ClientMetadata, memberNames, otherNames } from "./metadata.schema.ts";

type Strategy = SubjectClaim["strategy"];

/** OAuth 2.0 Multiple Response Type Encoding Practices §3: sorts the parts of a response type, because their order does not matter. */
const inOrder = (type: string): ResponseType =>
  ["code", "id_token", "token"].filter((part) => type.split(" ").includes(part)).join(" ") as ResponseType;

/** RFC 7591 §2: returns the response types. The default is `code`, unless the grant types exclude it. */
export function responseTypesOf({ grant_types = ["authorization_code"], response_types = [] }: ClientMetadata): ResponseType[] {
  if (response_types.length === 0)
    return grant_types.includes("implicit") && !grant_types.includes("authorization_code") ? ["id_token"] : ["code"];
  return [...new Set(response_types.map(inOrder))];
}

/** Returns the grant types without `implicit`, which follows from the response types. */
export function grantTypesOf(metadata: ClientMetadata) {
  const { grant_types = responseTypesOf(metadata).some((type) => type.startsWith("code")) ? (["authorization_code"] as const) : [] } =
    metadata;
  return grant_types.filter((type) => type !== "implicit");
}

/** Infers the type, which RFC 7591 lacks: a client is native if its redirect URIs are, and it requests only codes. */
export const inferredApplicationType = (metadata: ClientMetadata): "web" | "native" => {
  const isWeb = (metadata.redirect_uris ?? []).every((uri) => uri.startsWith("https:"));
  return isWeb || responseTypesOf(metadata).some((type) => type !== "code") ? "web" : "native";
};

/** Returns the client that the metadata describes. Omitted members get their defaults. */
export function toClientState(metadata: ClientMetadata): Omit<CreateClient, "clientId"> {
  const named = Object.entries(memberNames).flatMap(([oauth, member]) => {
    const value = metadata[oauth as keyof typeof memberNames];
    return value === undefined ? [] : [[member, value]];
  });
  // The default of RFC 7591 §2 is client_secret_basic, but libraries that omit it also send the secret in the form.
  const method = metadata.token_endpoint_auth_method ?? "client_secret";
  return {
    applicationType: inferredApplicationType(metadata),
    ...Object.fromEntries(named),
    publicClient: method === "none",
    authMethod: method,
    grantTypes: grantTypesOf(metadata),
    responseTypes: responseTypesOf(metadata),
    scopes: metadata.scope?.split(" ").filter(Boolean) ?? [],
    subjectClaim: metadata.subject_type === "pairwise" ? { strategy: "pairwise" } : null,
  };
}

const described = new Set<string>([...Object.values(memberNames), ...Object.values(otherNames), "publicClient"]);
const readOnly = new Set(["id", "realmId", "clientId", "createdAt", "updatedAt", "version"]);

/** The requirements for a client's requests. Administrators set them, too, so a client cannot remove them. */
const demands = ["requirePar", "requireDpop", "certificateBoundTokens", "requireSignedRequestObject"] as const;

/** RFC 7592 §2.2: replaces the values that metadata can describe. Other settings of administrators remain. */
export function toNewState(current: Client, metadata: ClientMetadata, realmStrategy: Strategy): UpdateClient {
  const state = toClientState(metadata);
  const kept = Object.entries(current).filter(([member]) => !described.has(member) && !readOnly.has(member));
  // Pairwise subjects are a requirement, too, and a client cannot describe the other strategies.
  const isKept = current.subjectClaim !== null || realmStrategy === "pairwise";
  // `toMetadata` returns the method in this form.
  const isEcho = current.authMethod === "client_secret" && state.authMethod === "client_secret_basic";
  return {
    ...Object.fromEntries(kept),
    ...state,
    enabled: current.enabled,
    publicClient: state.publicClient ?? current.publicClient,
    ...(isKept && { subjectClaim: current.subjectClaim }),
    ...(isEcho && { authMethod: current.authMethod }),
    ...Object.fromEntries(demands.filter((member) => current[member]).map((member) => [member, true])),
  };
}

/** Returns the registered metadata of a client. Its subjects are the realm's if it chose none. */
export function toMetadata(client: Client, realmStrategy: Strategy): Record<string, unknown> {
  const named = Object.entries(memberNames).flatMap(([oauth, member]) => {
    const value = client[member as keyof Client];
    const isEmpty = value === null || value === undefined || (Array.isArray(value) && value.length === 0);
    return isEmpty && oauth !== "redirect_uris" ? [] : [[oauth, value]];
  });
  const grantTypes: string[] = client.grantTypes.map(toGrantType);
  const responseTypes = client.responseTypes.filter((type) => !type.startsWith("code") || grantTypes.includes("authorization_code"));
  if (responseTypes.some((type) => type !== "code")) grantTypes.push("implicit");
  return {
    ...Object.fromEntries(named),
    token_endpoint_auth_method: client.authMethod === "client_secret" ? "client_secret_basic" : client.authMethod,
    grant_types: grantTypes,
    response_types: responseTypes,
    subject_type: (client.subjectClaim?.strategy ?? realmStrategy) === "pairwise" ? "pairwise" : "public",
    ...(client.scopes.length > 0 && { scope: client.scopes.join(" ") }),
  };
}
