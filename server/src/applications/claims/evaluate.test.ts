import { expect, test } from "vitest";
import { attributesOf } from "../saml-clients/attributes.ts";
import { claimsOf } from "./evaluate.ts";
import type { ClaimMapper } from "./mapper.ts";
import { protocolClaims } from "./path.ts";
import type { ClaimSubject } from "./sources/source.ts";

const mapper = (claim: string, source: ClaimMapper["source"], value: string | null, more: Partial<ClaimMapper> = {}): ClaimMapper => ({
  claimId: claim,
  name: claim,
  claim,
  source,
  value,
  type: "string",
  multivalued: false,
  targets: ["idToken"],
  ...more,
});

const ada: ClaimSubject = {
  user: {
    userId: "id-of-ada",
    username: "ada",
    email: "ada@example.com",
    emailVerified: true,
    attributes: { firstName: "Ada", lastName: "Lovelace", floor: "3", tags: ["a", "b"], nested: '{"x":{"__proto__":{"evil":1},"y":2}}' },
    createdAt: 1_700_000_000_123,
    updatedAt: 1_700_000_001_999,
  },
  read: {
    roles: [
      { name: "user", client: null },
      { name: "buyer", client: "shop" },
      { name: "odd", client: "__proto__" },
    ],
    groups: [
      ["Sales", "Europe"],
      ["Organization:acme", "Admins"],
    ],
    organizations: [{ id: "o1", alias: "acme", name: "Acme", role: "owner" }],
  },
};
const session = { authTime: 1_700_000_002_999, acr: "1", amr: ["pwd", "otp"], sid: "s1", impersonator: null };
const claims = (...mappers: ClaimMapper[]) => claimsOf(mappers, "idToken", ada, { clientId: "shop", session });

test("every source returns its values", () => {
  const many = { multivalued: true };
  expect(
    claims(
      mapper("tier", "constant", "gold"),
      mapper("level", "constant", "7", { type: "number" }),
      mapper("floor", "attribute", "floor", { type: "number" }),
      mapper("tags", "attribute", "tags", many),
      mapper("tag", "attribute", "tags"),
      mapper("name", "property", "name"),
      mapper("email_verified", "property", "emailVerified", { type: "boolean" }),
      mapper("updated_at", "property", "updatedAt", { type: "number" }),
      mapper("roles", "roles", "realm", many),
      mapper("mine", "roles", "client", many),
      mapper("other", "roles", "client:nobody", many),
      mapper("resource_access", "roles", "clients", { type: "json" }),
      mapper("groups", "groups", null, many),
      mapper("names", "groups", "name", many),
      mapper("organizations", "organizations", "details", { type: "json" }),
      mapper("factors", "session", "amr", many),
      mapper("since", "session", "authTime", { type: "number" }),
      mapper("address.country", "constant", "NL"),
      mapper("address.locality", "constant", "Delft"),
      mapper("https://acme\\.example/tier", "constant", "gold"),
    ),
  ).toEqual({
    tier: "gold",
    level: 7,
    floor: 3,
    tags: ["a", "b"],
    tag: "a",
    name: "Ada Lovelace",
    email_verified: true,
    updated_at: 1_700_000_001,
    roles: ["user"],
    mine: ["buyer"],
    other: [],
    resource_access: Object.fromEntries([
      ["shop", { roles: ["buyer"] }],
      ["__proto__", { roles: ["odd"] }],
    ]),
    groups: ["/Sales/Europe", "/Organization:acme/Admins"],
    // An organization chose the last name, which may be that of another group.
    names: ["Europe", "/Organization:acme/Admins"],
    organizations: [{ id: "o1", alias: "acme", name: "Acme", role: "owner" }],
    factors: ["pwd", "otp"],
    since: 1_700_000_002,
    address: { country: "NL", locality: "Delft" },
    "https://acme.example/tier": "gold",
  });
});

test("a missing value, or one of another type or client, is left out", () => {
  expect(
    claims(
      mapper("missing", "attribute", "toString", { multivalued: true }),
      mapper("number", "attribute", "firstName", { type: "number" }),
      mapper("json", "attribute", "firstName", { type: "json" }),
      mapper("impersonator", "session", "impersonator"),
      mapper("elsewhere", "constant", "x", { targets: ["accessToken"] }),
    ),
  ).toEqual({});
  const machine = { ...ada, user: null };
  expect(
    claimsOf([mapper("name", "property", "username"), mapper("since", "session", null)], "idToken", machine, { clientId: null }),
  ).toEqual({});
});

test("no mapper writes claims of the protocol, or beyond the claims object", () => {
  const written = claims(
    ...[...protocolClaims].map((claim) => mapper(claim, "constant", "forged")),
    mapper("cnf.jkt", "constant", "forged"),
    mapper("__proto__.admin", "constant", "forged"),
    mapper("a.constructor.prototype.admin", "constant", "forged"),
    mapper("nested", "attribute", "nested", { type: "json" }),
  );
  expect(written).toEqual({ nested: { x: { y: 2 } } });
  expect(Object.keys((written.nested as { x: object }).x)).toEqual(["y"]);
  expect(({} as { admin?: string }).admin).toBeUndefined();
});

test("the later of two counts, and neither changes the object of the other", () => {
  expect(claims(mapper("tier", "constant", "silver"), mapper("tier", "constant", "gold"))).toEqual({ tier: "gold" });
  const whole = mapper("access", "roles", "clients", { type: "json" });
  const before = JSON.stringify(ada.read);
  expect(claims(whole, mapper("access.extra", "constant", "x"))).toMatchObject({ access: { shop: { roles: ["buyer"] }, extra: "x" } });
  expect(JSON.stringify(ada.read)).toBe(before);
  expect(claims(mapper("a", "constant", "plain"), mapper("a.b", "constant", "x"))).toEqual({ a: "plain" });
});

test("a token or assertion ends at a million characters, and what still fits is in it", () => {
  const large: ClaimSubject = {
    ...ada,
    user: { ...ada.user!, attributes: { notes: Array.from({ length: 100 }, () => "x".repeat(4096)) } },
  };
  const notes = Array.from({ length: 100 }, (_, n) => mapper(`notes${n}`, "attribute", "notes", { multivalued: true }));
  const mappers = [...notes, mapper("name", "property", "username")];
  const made = claimsOf(mappers, "idToken", large, { clientId: "shop", session });
  expect(Object.keys(made)).toEqual(["notes0", "notes1", "name"]);
  const saml = mappers.map((each) => ({ ...each, samlName: each.claim, samlNameFormat: "basic", samlFriendlyName: null }));
  const attributes = attributesOf({ mappers: saml, options: { includeAttributes: true } } as never, large, session);
  expect(attributes.map(({ name }) => name)).toEqual(["notes0", "notes1", "name"]);
});
