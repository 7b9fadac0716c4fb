import Type from "typebox";

/** Makes a schema for the OpenAPI document. RFC 7643, RFC 7644 and `/Schemas` have the details. It neither validates nor filters. */
const open = (id: string, description: string, example: object) =>
  Type.Unsafe<Record<string, unknown>>({ $id: id, type: "object", additionalProperties: true, description, examples: [example] });

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const MESSAGES = "urn:ietf:params:scim:api:messages:2.0";

const user = {
  schemas: [`${CORE}:User`],
  externalId: "00u1",
  userName: "ada@example.com",
  name: { givenName: "Ada", familyName: "Lovelace" },
  emails: [{ value: "ada@example.com", type: "work", primary: true }],
  active: true,
};
const group = { schemas: [`${CORE}:Group`], externalId: "8aa1", displayName: "Engineering" };

export const ScimUser = open("ScimUser", "A user (RFC 7643 §4.1), with the enterprise extension (§4.3)", user);
export const ScimGroup = open("ScimGroup", "A group at the top of the realm (RFC 7643 §4.2)", group);
export const ScimPatch = open("ScimPatch", "RFC 7644 §3.5.2", {
  schemas: [`${MESSAGES}:PatchOp`],
  Operations: [{ op: "replace", path: "active", value: false }],
});
export const ScimSearch = open("ScimSearch", "RFC 7644 §3.4.3", {
  schemas: [`${MESSAGES}:SearchRequest`],
  filter: 'userName eq "ada@example.com"',
  count: 10,
});
export const ScimList = open("ScimList", "RFC 7644 §3.4.2, RFC 9865", {
  schemas: [`${MESSAGES}:ListResponse`],
  totalResults: 1,
  itemsPerPage: 1,
  startIndex: 1,
  Resources: [user],
});
export const ScimBulk = open("ScimBulk", "RFC 7644 §3.7", {
  schemas: [`${MESSAGES}:BulkRequest`],
  failOnErrors: 1,
  Operations: [{ method: "POST", path: "/Users", bulkId: "ada", data: user }],
});
export const ScimBulkAnswer = open("ScimBulkAnswer", "RFC 7644 §3.7", {
  schemas: [`${MESSAGES}:BulkResponse`],
  Operations: [{ method: "POST", bulkId: "ada", status: "201", location: "https://id.example.com/realms/acme/scim/v2/Users/1" }],
});
export const ScimError = open("ScimError", "RFC 7644 §3.12", {
  schemas: [`${MESSAGES}:Error`],
  status: "409",
  scimType: "uniqueness",
  detail: "Another user in this realm already signs in by that name or email address",
});
export const ScimDocument = open("ScimDocument", "The server's capabilities (RFC 7643 §5 to §7)", {
  schemas: [`${CORE}:ServiceProviderConfig`],
});

/** The error responses that every route declares. */
export const refusals = { "4xx": ScimError };

export const LIST_RESPONSE = `${MESSAGES}:ListResponse`;
export const BULK_RESPONSE = `${MESSAGES}:BulkResponse`;

const text = (description: string) => Type.Optional(Type.String({ description }));
/** The parameters of lists. The handlers read them, because their errors are those of RFC 7644. */
export const listParameters = Type.Unsafe<Record<string, unknown>>(
  Type.Object({
    filter: text("RFC 7644 §3.4.2.2"),
    startIndex: text("The number of the first result, from 1"),
    count: text("The number of results. Default 100, at most 1000"),
    cursor: text("A cursor (RFC 9865): empty for the first page, then the `nextCursor` of the previous one"),
    sortBy: text("`userName`, `displayName` of groups, `emails`, `id`, `meta.created` or `meta.lastModified`. Others are ignored"),
    sortOrder: text("`ascending` or `descending`"),
    attributes: text("The names of the attributes to return, separated by commas"),
    excludedAttributes: text("The names of the attributes to omit, separated by commas"),
  }),
);
export const shownParameters = Type.Unsafe<Record<string, unknown>>(
  Type.Object({
    attributes: text("The names of the attributes to return, separated by commas"),
    excludedAttributes: text("The names of the attributes to omit, separated by commas"),
  }),
);
