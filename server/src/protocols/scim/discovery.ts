import { DEFAULT_COUNT, MAX_COUNT } from "./listing/query.ts";
import type { Attribute, Resource, ResourceType, Schema } from "./schema/attribute.ts";
import { resourceTypes, schemas } from "./schema/resource-types.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";

export const MAX_BULK_OPERATIONS = 1000;
const MAX_PAYLOAD = 1024 * 1024;
/** The lifetime of cursors that clients are told. Cursors contain their place themselves, so they do not really expire. */
const CURSOR_SECONDS = 3600;

/** Returns the capabilities (RFC 7643 §5, RFC 9865 §4). */
export const serviceProviderConfig = (url: string): Resource => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  documentationUri: "https://www.rfc-editor.org/rfc/rfc7644",
  patch: { supported: true },
  bulk: { supported: true, maxOperations: MAX_BULK_OPERATIONS, maxPayloadSize: MAX_PAYLOAD },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: { supported: true },
  sort: { supported: true },
  etag: { supported: true },
  pagination: {
    cursor: true,
    index: true,
    defaultPaginationMethod: "index",
    defaultPageSize: DEFAULT_COUNT,
    maxPageSize: MAX_COUNT,
    cursorTimeout: CURSOR_SECONDS,
  },
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "SCIM token",
      description: "A token that an administrator of the realm created, as Authorization: Bearer",
      specUri: "https://www.rfc-editor.org/rfc/rfc6750",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${url}/ServiceProviderConfig` },
});

const resourceTypeOf = (url: string, { name, endpoint, description, schema, extensions }: ResourceType): Resource => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  endpoint,
  description,
  schema: schema.id,
  ...(extensions.length > 0 && { schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })) }),
  meta: { resourceType: "ResourceType", location: `${url}/ResourceTypes/${name}` },
});

const attributeOf = ({ subAttributes, ...attribute }: Attribute): Resource => ({
  ...attribute,
  ...(subAttributes && { subAttributes: subAttributes.map(attributeOf) }),
});

const schemaOf = (url: string, { id, name, description, attributes }: Schema): Resource => ({
  schemas: [`${CORE}:Schema`],
  id,
  name,
  description,
  attributes: attributes.map(attributeOf),
  meta: { resourceType: "Schema", location: `${url}/Schemas/${id}` },
});

export const resourceTypeDocuments = (url: string): Resource[] => resourceTypes.map((each) => resourceTypeOf(url, each));
export const schemaDocuments = (url: string): Resource[] => schemas.map((each) => schemaOf(url, each));
