import Type from "typebox";
import { normalDomain } from "../../directory/organizations/index.ts";
import { lineText, oneOf } from "../../platform/http/index.ts";
import { brandingMembers } from "../../tenancy/settings/index.ts";
import type { Config, FieldFault } from "./provider.ts";

/** Describes a fault of a member of `config`. `message` continues the sentence after the member's name. */
export const fault = (member: string, message: string): FieldFault => ({
  field: `config.${member}`,
  message: `config.${member} ${message}`,
});

export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

export const urlText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 2000, pattern: "^[^\\s\\p{C}]+$", description: `the https URL of ${description}` });

export const secretText = (description: string) =>
  Type.String({
    ...{ minLength: 1, maxLength: 16_384, writeOnly: true },
    description: `${description}. It is never shown. If omitted, the stored one is kept; a change of scheme, host or port needs it again`,
  });

/** The member that is shown in place of a secret; true if the secret is stored. */
export const secretSet = Type.Boolean({ description: "True when the secret is stored. It cannot be set: send the secret itself" });

const words = (description: string, maxItems: number) =>
  Type.Array(lineText("one line of text"), { maxItems, uniqueItems: true, description });

/** The members of every provider that users sign in by: how it is shown, which users it admits, and what they get. */
export const brokerMembers = {
  hideOnLogin: Type.Optional(
    Type.Boolean({ description: "True: the sign-in page shows no button for it; `idp_hint` still leads to it. Default false" }),
  ),
  order: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 100_000, description: "The position of its button; lower comes first. Default 100" }),
  ),
  logoUri: Type.Optional({
    ...brandingMembers.logoUrl.anyOf[0],
    description: "the picture on its button: an https address, a path on this server, or a data: image. Default: the mark of its protocol",
  }),
  domains: Type.Optional(
    words(
      "An email address in one of these domains, entered as the username, leads to this provider. Verified domains of organizations have precedence",
      100,
    ),
  ),
  provisioning: Type.Optional(
    oneOf(["create", "link-only", "deny"], {
      description:
        "The treatment of users who are not linked yet: create an account for them, only link an account that they prove to be theirs, or neither. Default create",
    }),
  ),
  trustEmail: Type.Optional(
    Type.Boolean({
      description:
        "True: an address that the provider reports as verified counts as verified here, and leads to the account that has it. Default false",
    }),
  ),
  allowedDomains: Type.Optional(words("The domains whose email addresses can sign in. If empty, every user can", 100)),
  defaultRoles: Type.Optional(words("The realm roles that new users get, by name", 100)),
  defaultGroups: Type.Optional(words("The groups that new users join, by id", 100)),
  usernameTemplate: Type.Optional(
    lineText(
      "the username of new users, from claims: `{preferred_username}`, `{email}`, `{alias}-{sub}`; `{email|local}` is the part before the @",
    ),
  ),
  sync: Type.Optional(
    oneOf(["import", "force"], {
      description:
        "The sign-ins at which name and email address are copied from the provider: import, the first one only, or force, each. Default import",
    }),
  ),
  emailAttribute: Type.Optional(lineText("the claim that holds the email address. Default email")),
  firstNameAttribute: Type.Optional(lineText("the claim that holds the first name. Default given_name")),
  lastNameAttribute: Type.Optional(lineText("the claim that holds the last name. Default family_name")),
};

export const brokerDefaults = {
  ...{
    hideOnLogin: false,
    order: 100,
    domains: [],
    provisioning: "create",
    trustEmail: false,
    allowedDomains: [],
    defaultRoles: [],
    defaultGroups: [],
  },
  ...{ sync: "import", emailAttribute: "email", firstNameAttribute: "given_name", lastNameAttribute: "family_name" },
};

export const brokerHarmless = ["hideOnLogin", "order", "logoUri"] as const;

/** Returns the faults of domains. Each fault names the place in the list of a value that is not a domain. */
export const domainFaults = (config: Config): FieldFault[] =>
  ["domains", "allowedDomains"].flatMap((member) =>
    ((config[member] ?? []) as string[]).flatMap((domain, index) => {
      const field = `config.${member}.${index}`;
      return normalDomain(domain) === null ? [{ field, message: `${field} is not a domain name such as example.com` }] : [];
    }),
  );
