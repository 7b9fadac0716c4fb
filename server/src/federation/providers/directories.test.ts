import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harness, harness } from "../../testing/harness.ts";
import { CLIENT_SECRET, identityProvider } from "../../testing/identity-providers.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_ALLOWED_HOSTS: "10.0.0.5" });
});
afterAll(() => iam?.close());

const at = "/identity-providers";
const ldap = identityProvider("ldap", "corp");
const withConfig = (more: Record<string, unknown>) => ({ ...ldap, config: { ...ldap.config, ...more } });

describe("a directory", () => {
  test.each([
    ["a web address", { url: "http://ldap.example.com" }, "config.url"],
    ["a path", { url: "ldaps://ldap.example.com/dc=x" }, "config.url"],
    ["credentials in the address", { url: "ldaps://a:b@ldap.example.com" }, "config.url"],
    ["clear text", { url: "ldap://ldap.example.com" }, "config.url"],
    ["clear text at another server", { urls: ["ldap://ldap.example.com"] }, "config.urls.0"],
    ["loopback", { url: "ldaps://127.0.0.1" }, "config.url"],
    ["loopback by number", { url: "ldaps://2130706433" }, "config.url"],
    ["the cloud's metadata", { url: "ldaps://169.254.169.254" }, "config.url"],
    ["a filter without the name", { userSearchFilter: "(uid=x)" }, "config.userSearchFilter"],
    ["a filter that does not end", { userSearchFilter: "(&(uid={0})(a=b)" }, "config.userSearchFilter"],
    ["the name in place of an attribute", { userSearchFilter: "({0}=x)" }, "config.userSearchFilter"],
    ["a filter of groups with a name", { groupSearchFilter: "(cn={0})" }, "config.groupSearchFilter"],
    ["a filter of groups that does not end", { groupSearchFilter: "(cn=*" }, "config.groupSearchFilter"],
    ["a base of people that is no name", { userSearchBase: "not a dn" }, "config.userSearchBase"],
    ["a base of groups that is no name", { groupSearchBase: "groups" }, "config.groupSearchBase"],
    ["an attribute of members with blanks", { groupMemberAttribute: "a b" }, "config.groupMemberAttribute"],
    ["an attribute with blanks", { uidAttribute: "given name" }, "config.uidAttribute"],
    ["no certificate", { caCertificate: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----" }, "config.caCertificate"],
    ["an unknown member", { editMode: "WRITABLE" }, "config.editMode"],
    ["no bind password", { bindPassword: undefined }, "config.bindPassword"],
    ["too short a time", { timeoutMs: 1 }, "config.timeoutMs"],
  ])("with %s is refused by its field", async (_name, config, field) => {
    const realm = await iam.realm();
    const { status, body } = await realm.asMaster().post(at, withConfig(config));
    expect([status, (body.errors ?? []).map((error: { field: string }) => error.field)], JSON.stringify(body)).toEqual([
      400,
      expect.arrayContaining([field]),
    ]);
  });

  test("takes StartTLS, several servers and an address that the operator allowed", async () => {
    const realm = await iam.realm();
    const config = { url: "ldap://ldap.example.com:1389", startTls: true, urls: ["ldap://10.0.0.5", "ldaps://[2606:4700:4700::1111]:636"] };
    expect((await realm.asMaster().post(at, withConfig(config))).status).toBe(201);
  });

  test("another server does not get the bind password of the first", async () => {
    const realm = await iam.realm();
    const admin = realm.asMaster();
    await admin.post(at, ldap);
    const { body } = await admin.get(`${at}/corp`);
    const { status, body: refused } = await admin.put(`${at}/corp`, {
      ...body,
      config: { ...body.config, url: "ldaps://other.example.com" },
    });
    expect([status, JSON.stringify(refused)]).toEqual([400, expect.stringContaining("config.bindPassword")]);
    const config = { ...body.config, url: "ldaps://other.example.com", bindPassword: CLIENT_SECRET };
    expect((await admin.put(`${at}/corp`, { ...body, config })).status).toBe(200);
  });

  test("has no button", async () => {
    const realm = await iam.realm();
    await realm.asMaster().post(at, ldap);
    expect((await iam.browser().get(`/realms/${realm.name}/login`)).text).not.toContain("By corp");
  });
});
