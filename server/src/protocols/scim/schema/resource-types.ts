import { type Attribute, binary, boolean, complex, plural, type ResourceType, reference, type Schema, string } from "./attribute.ts";

export const USER = "urn:ietf:params:scim:schemas:core:2.0:User";
export const ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";
export const GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group";

const value = (description: string): Attribute => string("value", description);
const WORK_AND_HOME = ["work", "home", "other"];

/** The user schema (RFC 7643 §4.1). */
const userSchema: Schema = {
  id: USER,
  name: "User",
  description: "User Account",
  attributes: [
    string("userName", "The name to sign in by, unique in the realm", { required: true, uniqueness: "server" }),
    complex("name", "The parts of the person's name", [
      string("formatted", "The whole name, as it is displayed"),
      string("familyName", "The family name"),
      string("givenName", "The given name"),
      string("middleName", "Middle names"),
      string("honorificPrefix", "A title before the name"),
      string("honorificSuffix", "A suffix behind the name"),
    ]),
    string("displayName", "The name that is displayed"),
    string("nickName", "The casual name"),
    reference("profileUrl", "The address of a page about the person", ["external"]),
    string("title", "The job title"),
    string("userType", "The relation to the organization"),
    string("preferredLanguage", "The preferred language"),
    string("locale", "The locale for dates, numbers and currency"),
    string("timezone", "The time zone"),
    // This cannot be removed, only set, so it is announced as required. A user who is created without it is active.
    boolean("active", "Whether the person may sign in", { required: true }),
    string("password", "Set, never shown", { caseExact: true, mutability: "writeOnly", returned: "never" }),
    plural("emails", "Mail addresses. The primary one is the address of the account", value("The address"), WORK_AND_HOME),
    plural("phoneNumbers", "Phone numbers", value("The number"), ["work", "home", "mobile", "fax", "pager", "other"]),
    plural("ims", "Addresses for instant messages", value("The address")),
    plural("photos", "Pictures of the person", reference("value", "The address of the picture", ["external"]), ["photo", "thumbnail"]),
    complex(
      "addresses",
      "Postal addresses",
      [
        string("formatted", "The whole address"),
        string("streetAddress", "Street and number"),
        string("locality", "The city"),
        string("region", "The state or region"),
        string("postalCode", "The postal code"),
        string("country", "The country"),
        string("type", "What it is used for", { canonicalValues: WORK_AND_HOME }),
        boolean("primary", "Whether it is the preferred one; at most one is"),
      ],
      { multiValued: true },
    ),
    complex(
      "groups",
      "The groups that the user is a member of; changed by the groups",
      [
        string("value", "The id of the group", { caseExact: true, mutability: "readOnly" }),
        reference("$ref", "The address of the group", ["Group"], { mutability: "readOnly" }),
        string("display", "The name of the group", { mutability: "readOnly" }),
        string("type", "How the user is a member", { canonicalValues: ["direct"], mutability: "readOnly" }),
      ],
      { multiValued: true, mutability: "readOnly" },
    ),
    plural("entitlements", "Kept for the provisioning client; gives no permission here", value("The entitlement")),
    plural("roles", "Kept for the provisioning client; gives no role here", value("The role")),
    plural("x509Certificates", "Certificates, kept for the provisioning client", binary("value", "DER in base64")),
  ],
};

/** The enterprise extension (RFC 7643 §4.3). */
const enterpriseSchema: Schema = {
  id: ENTERPRISE,
  name: "EnterpriseUser",
  description: "Enterprise User",
  attributes: [
    string("employeeNumber", "The number of the employee"),
    string("costCenter", "The cost center"),
    string("organization", "The organization"),
    string("division", "The division"),
    string("department", "The department"),
    complex("manager", "The person's manager", [
      string("value", "The id of the manager", { caseExact: true }),
      reference("$ref", "The address of the manager", ["User"]),
      string("displayName", "The name of the manager", { mutability: "readOnly" }),
    ]),
  ],
};

/** The group schema (RFC 7643 §4.2). */
const groupSchema: Schema = {
  id: GROUP,
  name: "Group",
  description: "Group",
  attributes: [
    string("displayName", "The name of the group, unique in the realm", { required: true, uniqueness: "server" }),
    complex(
      "members",
      "The users in the group",
      [
        string("value", "The id of the user", { caseExact: true, mutability: "immutable" }),
        reference("$ref", "The address of the user", ["User"], { mutability: "immutable" }),
        string("display", "The name of the user", { mutability: "readOnly", returned: "request" }),
        string("type", "The type of the member", { canonicalValues: ["User"], mutability: "immutable" }),
      ],
      { multiValued: true },
    ),
  ],
};

export const userType: ResourceType = {
  name: "User",
  endpoint: "/Users",
  description: "User Account",
  schema: userSchema,
  extensions: [enterpriseSchema],
};

export const groupType: ResourceType = { name: "Group", endpoint: "/Groups", description: "Group", schema: groupSchema, extensions: [] };

export const resourceTypes: readonly ResourceType[] = [userType, groupType];
export const schemas: readonly Schema[] = [userSchema, enterpriseSchema, groupSchema];
