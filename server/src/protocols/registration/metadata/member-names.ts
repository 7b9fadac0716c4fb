import { metadataNames } from "../../../applications/clients/index.ts";

/** Metadata members that have the same values in the admin API, under another name. */
export const memberNames = { client_name: "name", ...metadataNames } as const;

/** Members that differ in more than their name. */
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
