import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sambaDomain, startDomain } from "../../../test/peers/index.mjs";
import { privateAuthority } from "../../testing/private-authority.ts";
import { createOutbound, type Outbound } from "../outbound/index.ts";
import { adState, entryId, equals, idValue, type LdapConnection, type LdapError, matches, openConnection, readRanges } from "./index.ts";

const users = "CN=Users,DC=corp,DC=test";
const unicode = (password: string) => Buffer.from(`"${password}"`, "utf16le").toString("base64");
const PASSWORD = "Right-Passw0rd";
const person = (name: string, more = "userAccountControl: 512\n") =>
  `dn: CN=${name},${users}\nchangetype: add\nobjectClass: user\nsAMAccountName: ${name}\nuserPrincipalName: ${name}@corp.test\nunicodePwd:: ${unicode(PASSWORD)}\n${more}\n`;

describe.skipIf(!sambaDomain())("Active Directory (Samba)", () => {
  let domain: Awaited<ReturnType<typeof startDomain>>;
  let outbound: Outbound;
  let ca: string;
  let service: LdapConnection;
  const open: LdapConnection[] = [];

  const connect = async (url = domain.url) => {
    const connection = await openConnection({ outbound, url, startTls: false, ca, timeoutMs: 60_000 });
    open.push(connection);
    return connection;
  };

  beforeAll(async () => {
    const authority = await privateAuthority();
    ca = authority.ca;
    const host = "127.0.38.9";
    const identity = await authority.identityWith("dc1.corp.test", [{ type: "ip", value: host }]);
    domain = await startDomain({ identity, ca, host });
    outbound = createOutbound({ allowedHosts: [], allowLoopbackHttp: true });
    await domain.apply(
      [
        person("anna"),
        person("disabled", "userAccountControl: 514\n"),
        person("expired", "userAccountControl: 512\naccountExpires: 132000000000000000\n"),
        person("mustchange", "userAccountControl: 512\npwdLastSet: 0\n"),
        `dn: CN=staff,${users}\nchangetype: add\nobjectClass: group\nsAMAccountName: staff\nmember: CN=anna,${users}\nmember: CN=disabled,${users}\nmember: CN=expired,${users}\n`,
        `dn: CN=everyone,${users}\nchangetype: add\nobjectClass: group\nsAMAccountName: everyone\nmember: CN=staff,${users}\n`,
      ].join("\n"),
    );
    service = await connect();
    await service.bind(`CN=Administrator,${users}`, "Admin-Passw0rd!");
  });
  afterAll(async () => {
    for (const connection of open) connection.close();
    await outbound?.close();
    await domain?.stop();
  });

  const bindAs = async (name: string, password: string): Promise<string | null> => {
    const connection = await connect();
    return connection.bind(`CN=${name},${users}`, password).then(
      () => "right",
      (error: LdapError) => adState(error),
    );
  };
  const find = async (name: string, attributes: string[]) =>
    (await service.search({ base: "DC=corp,DC=test", scope: "sub", filter: equals("sAMAccountName", name), attributes }))[0]!;

  test("says what keeps an account out, once the password is right", async () => {
    await domain.sam(`dn: CN=anna,${users}\nchangetype: modify\nreplace: mail\nmail: anna@corp.test\n`);
    expect(await bindAs("anna", PASSWORD)).toBe("right");
    expect(await bindAs("disabled", PASSWORD)).toBe("disabled");
    expect(await bindAs("expired", PASSWORD)).toBe("account-expired");
    expect(await bindAs("mustchange", PASSWORD)).toBe("must-change");
    for (const name of ["anna", "disabled", "expired", "mustchange", "unknown"])
      expect(await bindAs(name, "Wrong-Passw0rd"), name).toBe("wrong");
  });

  test("an entry is found by its id, which is binary", async () => {
    const entry = await find("anna", ["objectGUID"]);
    const id = entryId(entry, "objectGUID")!;
    expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    const [again] = await service.search({
      base: "DC=corp,DC=test",
      scope: "sub",
      filter: equals("objectGUID", idValue(id, "objectguid")),
      attributes: ["objectGUID"],
    });
    expect(again?.dn).toBe(entry.dn);
  });

  test("members come in parts, and nested groups by the rule for chains", async () => {
    const members: string[] = [];
    for await (const part of readRanges(service, `CN=staff,${users}`, "member", 2)) members.push(...part);
    expect(members.sort()).toEqual(["anna", "disabled", "expired"].map((name) => `CN=${name},${users}`));
    const groups = await service.search({
      base: "DC=corp,DC=test",
      scope: "sub",
      filter: matches("member", "1.2.840.113556.1.4.1941", `CN=anna,${users}`),
      attributes: ["cn"],
    });
    expect(groups.map((group) => group.text("cn")).sort()).toEqual(["everyone", "staff"]);
  });

  test("a password that must be changed is set; one that breaks the rules is refused", async () => {
    const dn = `CN=mustchange,${users}`;
    await expect(service.setUnicodePassword(dn, "short")).rejects.toMatchObject({
      resultCode: 19,
      diagnostic: expect.stringContaining("0000052D"),
    });
    await service.setUnicodePassword(dn, "Another-Passw0rd");
    expect(await bindAs("mustchange", "Another-Passw0rd")).toBe("right");
    expect(await bindAs("mustchange", PASSWORD)).toBe("wrong");
  });

  test("without TLS it requires TLS", async () => {
    const plain = await connect(domain.plainUrl);
    await expect(plain.bind(`CN=anna,${users}`, PASSWORD)).rejects.toMatchObject({
      resultCode: 8,
      message: expect.stringContaining("StartTLS"),
    });
  });
});
