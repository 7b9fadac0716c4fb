import { expect, test } from "vitest";
import { dnKey, firstValue, isWithin, parseDn } from "./dn.ts";

test("spellings of one name have one key, and other names have others", () => {
  for (const [one, other] of [
    ["cn=Admins,ou=Groups,dc=corp", "CN=admins, OU=groups , DC=corp"],
    ["cn=Müller\\, Jörg,dc=corp", "CN=mÜLLER\\2C J\\C3\\B6rg,DC=corp"],
    ["cn=a+uid=b,dc=corp", "uid=b+cn=a;dc=corp"],
    ['cn="a, b",dc=corp', "cn=a\\, b,dc=corp"],
    ["cn=\\ a\\20,dc=corp", "cn=\\20a\\ ,dc=corp"],
  ] as const)
    expect(dnKey(one), one).toBe(dnKey(other));
  for (const [one, other] of [
    ["cn=a\\,dc=corp,dc=x", "cn=a,dc=corp,dc=x"],
    ["cn=a b,dc=corp", "cn=a  b,dc=corp"],
    ["cn=\\ a,dc=corp", "cn=a,dc=corp"],
    ["cn=a\\+uid=b,dc=corp", "cn=a+uid=b,dc=corp"],
    // The Kelvin sign, and a fullwidth letter.
    ["cn=\u212aings,dc=corp", "cn=kings,dc=corp"],
    ["cn=\uff21dmins,dc=corp", "cn=admins,dc=corp"],
  ] as const)
    expect(dnKey(one), one).not.toBe(dnKey(other));
});

test("an invalid name has no key", () => {
  for (const text of ["admins", "=x", "cn=a,", "cn=a,b", "cn=a\\", 'cn="a', "cn=a+", "c n=a"]) expect(parseDn(text), text).toBeNull();
  expect(parseDn("")).toEqual([]);
});

test("a name lies within its base, and not within one that only ends alike", () => {
  expect(isWithin("CN=a,OU=x,DC=corp", "ou=X,dc=Corp")).toBe(true);
  expect(isWithin("cn=a,dc=notcorp", "dc=corp")).toBe(false);
  expect(isWithin("cn=a\\,dc=corp", "dc=corp")).toBe(false);
  expect(isWithin("cn=a,dc=corp", "")).toBe(true);
  expect(firstValue("cn=Help\\2C desk,dc=corp")).toBe("Help, desk");
});
