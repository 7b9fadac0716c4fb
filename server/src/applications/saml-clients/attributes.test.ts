import { expect, test } from "vitest";
import { ATTRIBUTE_NAME_FORMAT } from "../../platform/saml/index.ts";
import type { ClaimSubject } from "../claims/index.ts";
import { attributesOf, needsOfSamlClient, type SamlMapper } from "./index.ts";

const subject: ClaimSubject = {
  user: {
    userId: "u1",
    username: "ada",
    email: "ada@example.com",
    emailVerified: true,
    attributes: {
      firstName: "Ada",
      lastName: "Lovelace",
      teams: ["a", "b", "a"],
      website: "javascript:alert(1)",
      broken: ["fine", "not \u0001 fine"],
      json: '{"a":1}',
    },
    createdAt: 1_000,
    updatedAt: 2_000,
  },
  read: {
    roles: [
      { name: "writer", client: null },
      { name: "editor", client: null },
      { name: "buyer", client: "shop" },
    ],
    groups: [["Sales", "Europe"]],
  },
};

const mapper = (samlName: string, more: Partial<SamlMapper>): SamlMapper => ({
  ...{
    claimId: samlName,
    name: samlName,
    claim: samlName,
    source: "attribute",
    value: null,
    type: "string",
    multivalued: false,
    targets: [],
  },
  ...{ samlName, samlNameFormat: ATTRIBUTE_NAME_FORMAT.uri },
  ...more,
});
const client = (mappers: SamlMapper[], includeAttributes = true) => ({ mappers, options: { includeAttributes } });
const attributesBy = (...mappers: SamlMapper[]) => attributesOf(client(mappers), subject).map(({ name, values }) => [name, values]);

test("without mappers: username, email, firstName and lastName, if the user has them", () => {
  const four = attributesOf(client([]), subject);
  expect(four.map(({ name, values }) => [name, values])).toEqual([
    ["username", ["ada"]],
    ["email", ["ada@example.com"]],
    ["firstName", ["Ada"]],
    ["lastName", ["Lovelace"]],
  ]);
  expect(new Set(four.map(({ nameFormat }) => nameFormat))).toEqual(new Set([ATTRIBUTE_NAME_FORMAT.basic]));
  const bare = { ...subject, user: { ...subject.user!, email: null, attributes: {} } };
  expect(attributesOf(client([]), bare).map(({ name }) => name)).toEqual(["username"]);
});

test("with mappers: only their attributes; with includeAttributes false: none", () => {
  const roles = mapper("urn:oid:1.2.3", { source: "roles", multivalued: true });
  expect(attributesBy(roles)).toEqual([["urn:oid:1.2.3", ["writer", "editor"]]]);
  expect(attributesOf(client([roles], false), subject)).toEqual([]);
  expect(attributesOf(client([], false), subject)).toEqual([]);
  expect(needsOfSamlClient(client([roles]))).toEqual(["roles"]);
  expect(needsOfSamlClient(client([roles], false))).toEqual([]);
});

test("values are texts, each once; two mappers of one name are combined; characters that XML does not allow are left out", () => {
  expect(attributesBy(mapper("teams", { value: "teams", multivalued: true }))).toEqual([["teams", ["a", "b"]]]);
  expect(attributesBy(mapper("broken", { value: "broken", multivalued: true }))).toEqual([["broken", ["fine"]]]);
  expect(attributesBy(mapper("page", { value: "website" })), "no web address").toEqual([]);
  expect(attributesBy(mapper("none", { value: "none", multivalued: true }))).toEqual([]);
  expect(attributesBy(mapper("verified", { source: "property", value: "emailVerified", type: "boolean" }))).toEqual([
    ["verified", ["true"]],
  ]);
  expect(attributesBy(mapper("json", { value: "json", type: "json" }))).toEqual([["json", ['{"a":1}']]]);
  expect(attributesBy(mapper("all", { source: "roles", value: "clients" }))).toEqual([["all", ['{"shop":{"roles":["buyer"]}}']]]);
  const groups = { source: "groups", multivalued: true } as const;
  expect(attributesBy(mapper("g", { ...groups, value: "path" }), mapper("g", { ...groups, value: "name" }), mapper("g", groups))).toEqual([
    ["g", ["/Sales/Europe", "Europe"]],
  ]);
});

test("the session's attributes exist if there is a session", () => {
  const amr = mapper("amr", { source: "session", value: "amr", multivalued: true });
  const session = { authTime: 1, acr: "1", amr: ["pwd"], sid: null, impersonator: null };
  expect(attributesOf(client([amr]), subject, session)).toMatchObject([{ values: ["pwd"] }]);
  expect(attributesOf(client([amr]), subject)).toEqual([]);
});

test("an attribute has the FriendlyName of the first mapper that names one", () => {
  const mail = { value: "firstName", source: "attribute" } as const;
  const sent = attributesOf(
    client([mapper("urn:x", { ...mail, samlFriendlyName: "givenName" }), mapper("urn:x", mail), mapper("urn:y", mail)]),
    subject,
  );
  expect(sent.map(({ name, friendlyName }) => [name, friendlyName])).toEqual([
    ["urn:x", "givenName"],
    ["urn:y", null],
  ]);
});
