import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLdap, startOpenLdap } from "../../../test/peers/index.mjs";
import { type PrivateAuthority, privateAuthority } from "../../testing/private-authority.ts";
import { createOutbound, type Outbound, type Resolve } from "../outbound/index.ts";
import { equals, type LdapConnection, openConnection, parseFilter, parseTemplate, present } from "./index.ts";

const people = "ou=people,dc=corp,dc=test";
const person = (uid: string, more = "") =>
  `dn: uid=${uid},${people}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\nmail: ${uid}@corp.test\nuserPassword: ${uid}-password\n${more}`;
const COUNT = 1_200;

describe.skipIf(!openLdap())("OpenLDAP", () => {
  let authority: PrivateAuthority;
  let directory: Awaited<ReturnType<typeof startOpenLdap>>;
  let outbound: Outbound;
  const open: LdapConnection[] = [];

  beforeAll(async () => {
    authority = await privateAuthority();
    const many = Array.from({ length: COUNT }, (_, i) => person(`u${String(i).padStart(5, "0")}`));
    directory = await startOpenLdap({ identity: await authority.identity("ldap.test"), ca: authority.ca, ldif: many.join("\n") });
    const resolve: Resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    outbound = createOutbound({ allowedHosts: ["127.0.0.1"], allowLoopbackHttp: true, resolve });
  });
  afterAll(async () => {
    for (const connection of open) connection.close();
    await outbound?.close();
    await directory?.stop();
  });

  const connect = async (more: { url?: string; startTls?: boolean; ca?: string | null } = {}) => {
    const options = { outbound, url: directory.url, startTls: false, ca: authority.ca, timeoutMs: 60_000, ...more };
    const connection = await openConnection(options);
    open.push(connection);
    return connection;
  };
  const bound = async (as: "sync" | "limited" = "sync", more = {}) => {
    const connection = await connect(more);
    await connection.bind(`cn=${as},dc=corp,dc=test`, `${as}-password`);
    return connection;
  };
  const all = async (connection: LdapConnection, pageSize: number) => {
    const pages: number[] = [];
    const found = { base: people, scope: "sub", filter: present("uid"), attributes: ["uid", "entryUUID"] } as const;
    for await (const page of connection.pages(found, pageSize)) pages.push(page.length);
    return pages;
  };

  test("reads every entry by pages", async () => {
    expect(await all(await bound(), 500)).toEqual([500, 500, 200]);
  });

  test("a size limit below the number of entries is an error, not a shorter list", async () => {
    await expect(all(await bound("limited"), 500)).rejects.toMatchObject({ resultCode: 4 });
  });

  test.each([
    ["LDAPS", () => ({ url: directory.tlsUrl })],
    ["LDAPS by name", () => ({ url: `ldaps://ldap.test:${directory.tlsPort}` })],
    ["StartTLS", () => ({ startTls: true })],
    ["StartTLS by name", () => ({ url: `ldap://ldap.test:${directory.port}`, startTls: true })],
  ])("%s with the authority that is given", async (_name, options) => {
    const connection = await bound("sync", options());
    expect(await connection.search({ base: people, scope: "base", filter: present("objectClass"), attributes: ["ou"] })).toHaveLength(1);
  });

  test.each([
    ["another authority", async () => ({ ca: (await privateAuthority()).ca })],
    ["no authority of its own", async () => ({ ca: null })],
    ["another name", async () => ({ host: "other.test" })],
  ])("TLS and StartTLS with %s: refused, and no bind arrives", async (_name, make) => {
    const { host = "127.0.0.1", ...more } = (await make()) as { host?: string; ca?: string | null };
    const before = directory.log().split(" BIND ").length;
    for (const options of [{ url: `ldaps://${host}:${directory.tlsPort}` }, { url: `ldap://${host}:${directory.port}`, startTls: true }]) {
      await expect(bound("sync", { ...options, ...more })).rejects.toMatchObject({ fault: "tls" });
    }
    expect(directory.log().split(" BIND ").length).toBe(before);
  });

  test("a name finds its own entry only, whatever is in it", async () => {
    await directory.apply(`dn: uid=a*b(c),${people}\nchangetype: add\nobjectClass: inetOrgPerson\nuid: a*b(c)\ncn: x\nsn: x\n`);
    const connection = await bound();
    const template = parseTemplate("(&(objectClass=inetOrgPerson)(uid={0}))");
    const find = async (name: string) =>
      (await connection.search({ base: people, scope: "sub", filter: template.of(name), attributes: ["uid"], sizeLimit: 2 })).map((entry) =>
        entry.text("uid"),
      );
    expect(await find("a*b(c)")).toEqual(["a*b(c)"]);
    for (const name of ["*", "*)(uid=*", "u0000*", "\\2a", "unknown"]) expect(await find(name), name).toEqual([]);
    // The directory compares without case and blanks: the entry says who it is.
    for (const name of ["U00001", " u00001", "u00001 "]) expect(await find(name), name).toEqual(["u00001"]);
  });

  test("a bind says whether the password is right; a right one that must be replaced says so too", async () => {
    const dn = `uid=u00002,${people}`;
    const connection = await connect();
    expect(await connection.bind(dn, "u00002-password")).toEqual({ mustChange: false });
    await expect(connection.bind(dn, "wrong")).rejects.toMatchObject({ name: "BindRefused", resultCode: 49, isExpired: false });
    await directory.apply(`dn: ${dn}\nchangetype: modify\nreplace: pwdReset\npwdReset: TRUE\n`);
    expect(await connection.bind(dn, "u00002-password")).toEqual({ mustChange: true });
  });

  test("a password is set by the password modify operation, and what breaks a rule is refused", async () => {
    const service = await bound();
    const dn = `uid=u00003,${people}`;
    await service.setPassword(dn, "another-password");
    const connection = await connect();
    await connection.bind(dn, "another-password");
    await expect(connection.bind(dn, "u00003-password")).rejects.toMatchObject({ resultCode: 49 });
    await expect(service.setPassword(dn, "short")).rejects.toMatchObject({ resultCode: 19 });
  });

  test("an id is kept when the entry is renamed and moved", async () => {
    const connection = await bound();
    const read = async (uid: string) =>
      (await connection.search({ base: "dc=corp,dc=test", scope: "sub", filter: equals("uid", uid), attributes: ["entryUUID"] }))[0];
    const before = (await read("u00004"))!;
    await directory.apply(
      `dn: uid=u00004,${people}\nchangetype: modrdn\nnewrdn: uid=renamed\ndeleteoldrdn: 1\nnewsuperior: ou=moved,dc=corp,dc=test\n`,
    );
    const after = (await read("renamed"))!;
    expect(after.dn).toBe("uid=renamed,ou=moved,dc=corp,dc=test");
    expect(after.text("entryuuid")).toBe(before.text("entryUUID"));
  });

  test("a refusal of the directory is explained", async () => {
    const connection = await bound();
    const at = { base: "ou=gone,dc=corp,dc=test", scope: "sub", filter: parseFilter("(uid=*)"), attributes: [] } as const;
    await expect(connection.search(at)).rejects.toMatchObject({ resultCode: 32, message: expect.stringContaining("search base") });
  });
});
