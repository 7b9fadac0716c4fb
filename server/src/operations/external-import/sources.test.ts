import { createHash, pbkdf2Sync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clock } from "../../kernel/clock.ts";
import { totpCode, totpStep } from "../../signin/authenticators/totp-code.ts";
import { leastCpuTime } from "../../testing/cpu-time.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";
import { sources } from "./sources/index.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const BCRYPT = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"; // U*U
const uuid = (last: number) => `11111111-2222-4333-8444-55555555555${last}`;
const pbkdf2 = (password: string) => pbkdf2Sync(password, "salt", 1000, 32, "sha256").toString("base64");
const ssha = (password: string) =>
  Buffer.concat([createHash("sha1").update(password).update("salt").digest(), Buffer.from("salt")]).toString("base64");
const lines = (...rows: object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
const TOTP = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";

interface Sample {
  readonly files: Readonly<Record<string, string>>;
  /** A user who signs in, their password, and their id if it stays. */
  readonly signsIn?: readonly [username: string, password: string];
  readonly userId?: string;
  readonly user: object;
  readonly created: number;
  readonly failed?: number;
  readonly unmapped?: readonly string[];
  readonly choice?: string;
  /** The name here of their group Staff. */
  readonly group?: string;
}

const samples: Readonly<Record<string, Sample>> = {
  auth0: {
    files: {
      "users.ndjson": lines(
        {
          user_id: "auth0|5f1",
          email: "ada@a0.example",
          email_verified: true,
          given_name: "Ada",
          user_metadata: { plan: "gold" },
          identities: [{ provider: "auth0", user_id: "5f1" }],
        },
        {
          user_id: "google-oauth2|99",
          email: "bob@a0.example",
          blocked: true,
          identities: [{ provider: "google-oauth2", user_id: "99" }],
          weird: { x: 1 },
        },
      ),
      "hashes.ndjson": lines({ _id: { $oid: "5f1" }, email: "ada@a0.example", passwordHash: BCRYPT, connection: "db" }),
    },
    signsIn: ["ada@a0.example", "U*U"],
    user: { emailVerified: true, attributes: { firstName: "Ada", "user_metadata.plan": "gold", legacySubject: "auth0|5f1" } },
    ...{ created: 2, choice: "subjectClaim", unmapped: ["users[].weird", "users[].federatedIdentities[google]"] },
  },
  firebase: {
    files: {
      // The README of github.com/firebase/scrypt, its base64 with the other alphabet.
      "users.json": JSON.stringify({
        users: [
          {
            ...{ localId: "fb1", email: "ada@fb.example", emailVerified: true, salt: "42xEC-ixf3L2lw==", createdAt: "1500000000000" },
            passwordHash: "lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ==",
          },
        ],
      }),
      parameters: JSON.stringify({
        hash_config: {
          ...{ base64_salt_separator: "Bw==", rounds: 8, mem_cost: 14 },
          base64_signer_key: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
        },
      }),
    },
    signsIn: ["ada@fb.example", "user1password"],
    user: { attributes: { legacySubject: "fb1" }, createdAt: 1_500_000_000_000 },
    created: 1,
  },
  supabase: {
    files: {
      "users.json": JSON.stringify([
        {
          id: uuid(1),
          email: "ada@sb.example",
          encrypted_password: BCRYPT,
          email_confirmed_at: "2024-01-01T00:00:00Z",
          raw_user_meta_data: { theme: "dark" },
        },
        { id: uuid(2), email: "gone@sb.example", encrypted_password: BCRYPT, deleted_at: "2024-01-01T00:00:00Z" },
      ]),
      "factors.json": JSON.stringify([{ user_id: uuid(1), factor_type: "phone", status: "verified", secret: "" }]),
    },
    signsIn: ["ada@sb.example", "U*U"],
    ...{
      userId: uuid(1),
      user: { emailVerified: true, attributes: { "user_metadata.theme": "dark" } },
      created: 1,
      unmapped: ["factors[phone]"],
    },
  },
  fusionauth: {
    files: {
      "users.json": JSON.stringify({
        users: [
          {
            ...{
              id: uuid(3),
              username: "ada-fa",
              email: "ada@fa.example",
              active: true,
              verified: true,
              firstName: "Ada",
              data: { level: 3 },
            },
            ...{
              password: pbkdf2("of fusion"),
              salt: Buffer.from("salt").toString("base64"),
              factor: 1000,
              encryptionScheme: "salted-pbkdf2-hmac-sha256",
            },
          },
          { id: uuid(4), username: "old-fa", password: "x", salt: "y", factor: 1, encryptionScheme: "salted-md5" },
        ],
      }),
    },
    signsIn: ["ada-fa", "of fusion"],
    ...{
      userId: uuid(3),
      user: { attributes: { firstName: "Ada", "data.level": "3" } },
      created: 2,
      unmapped: ["users[].encryptionScheme[salted-md5]"],
    },
  },
  kratos: {
    files: {
      "identities.json": JSON.stringify([
        {
          ...{ id: uuid(5), schema_id: "person", state: "active", traits: { email: "ada@kr.example", name: { first: "Ada" } } },
          verifiable_addresses: [{ value: "ada@kr.example", verified: true }],
          credentials: { password: { identifiers: ["ada@kr.example"], config: { hashed_password: BCRYPT } }, webauthn: {} },
        },
        {
          id: uuid(6),
          schema_id: "person",
          traits: { email: "md5@kr.example" },
          credentials: { password: { config: { hashed_password: "$md5$pf=x$y$z" } } },
        },
      ]),
    },
    signsIn: ["ada@kr.example", "U*U"],
    ...{
      userId: uuid(5),
      user: { emailVerified: true, attributes: { firstName: "Ada" } },
      created: 1,
      failed: 1,
      unmapped: ["users[].credentials.webauthn"],
    },
  },
  zitadel: {
    files: {
      "export.json": JSON.stringify({
        orgs: [
          {
            ...{ orgId: "77", org: { name: "Acme Inc" }, machineUsers: [{ userId: "1" }] },
            humanUsers: [
              {
                userId: "123",
                user: {
                  userName: "ada-zi",
                  profile: { firstName: "Ada" },
                  email: { email: "ada@zi.example", isEmailVerified: true },
                  hashedPassword: { value: BCRYPT },
                },
              },
            ],
          },
        ],
      }),
    },
    signsIn: ["ada-zi", "U*U"],
    ...{ user: { emailVerified: true, attributes: { legacySubject: "123" } }, created: 1, unmapped: ["orgs[].machineUsers[]"] },
  },
  authentik: {
    files: {
      "blueprint.yaml": [
        "version: 1",
        "entries:",
        "  - model: authentik_core.group",
        "    identifiers: { name: Staff }",
        "  - model: authentik_core.user",
        "    identifiers: { username: ada-ak }",
        "    attrs:",
        "      name: Ada Lovelace",
        "      groups: [Staff]",
        `      password: "pbkdf2_sha256$1000$salt$${pbkdf2("of authentik")}"`,
        "  - model: authentik_flows.flow",
        "    attrs: { other: !Find [x, [y, z]] }",
      ].join("\n"),
    },
    signsIn: ["ada-ak", "of authentik"],
    group: "authentik Staff",
    ...{
      user: { attributes: { firstName: "Ada", lastName: "Lovelace" } },
      created: 1,
      unmapped: ["entries[].model[authentik_flows.flow]"],
    },
  },
  okta: {
    files: {
      "users.json": JSON.stringify([
        {
          id: "00u1",
          status: "SUSPENDED",
          profile: { login: "ada@ok.example", email: "ada@ok.example", firstName: "Ada" },
          credentials: { provider: { type: "FEDERATION" } },
        },
      ]),
    },
    ...{
      user: { enabled: false, attributes: { firstName: "Ada", legacySubject: "00u1" } },
      created: 1,
      choice: "no passwords",
      unmapped: ["users[].credentials.provider[FEDERATION]"],
    },
  },
  cognito: {
    files: {
      "users.json": JSON.stringify({
        Users: [
          {
            ...{ Username: uuid(7), UserStatus: "CONFIRMED", Enabled: true, UserCreateDate: "2024-01-01T00:00:00Z" },
            Attributes: Object.entries({
              sub: uuid(7),
              email: "ada@co.example",
              email_verified: "true",
              given_name: "Ada",
              "custom:plan": "gold",
            }).map(([Name, Value]) => ({ Name, Value })),
          },
        ],
      }),
    },
    ...{
      userId: uuid(7),
      user: { username: "ada@co.example", emailVerified: true, attributes: { firstName: "Ada", "custom:plan": "gold" } },
      created: 1,
      choice: "no passwords",
    },
  },
  ldif: {
    files: {
      "people.ldif": [
        "version: 1",
        "",
        "dn: uid=ada-ld,ou=people,dc=example",
        "objectClass: inetOrgPerson",
        "uid: ada-ld",
        `sn:: ${Buffer.from("Lovélace").toString("base64")}`,
        "givenName: A",
        " da",
        `userPassword: {SSHA}${ssha("of ldif")}`,
        "jpegPhoto:: /9j/4AA=",
        "",
        "dn: uid=crypt,ou=people,dc=example",
        "objectClass: inetOrgPerson",
        "uid: crypt-ld",
        "userPassword: {CRYPT}$6$x$y",
        "description:< file:///etc/passwd",
        "",
        "dn: cn=Staff,ou=groups,dc=example",
        "objectClass: groupOfNames",
        "cn: Staff",
        "member: uid=ada-ld, ou=people, dc=example",
        "",
      ].join("\n"),
    },
    signsIn: ["ada-ld", "of ldif"],
    group: "ldif Staff",
    user: { attributes: { firstName: "Ada", lastName: "Lovélace" } },
    ...{ created: 2, unmapped: ["entries[].userPassword[{CRYPT}]", "entries[].jpegphoto", "entries[].description"] },
  },
};

test("every source but Keycloak, which has a file of its own, is tried below", () => {
  expect(Object.keys(samples).toSorted()).toEqual(
    sources
      .map(({ name }) => name)
      .filter((name) => name !== "keycloak")
      .toSorted(),
  );
});

test.each(Object.entries(samples))(
  "%s: files are known again, users come with their passwords, and the rest is reported",
  async (name, sample) => {
    const realm = await iam.realm();
    const admin = await realm.admin();
    const body = Object.entries(sample.files)
      .map(
        ([file, text]) =>
          `--xx\r\nContent-Disposition: form-data; name="${file === "parameters" ? file : "file"}"; filename="${file}"\r\n\r\n${text}\r\n`,
      )
      .join("");
    const send = (query: string) =>
      admin.post(`/import/external${query}`, `${body}--xx--\r\n`, { headers: { "content-type": "multipart/form-data; boundary=xx" } });
    // A group here of the name of theirs gives permissions: nobody joins it.
    const { groupId } = sample.group ? (await admin.post("/groups", { name: "Staff" })).body : {};
    if (sample.group) await admin.post(`/groups/${groupId}/roles`, { name: "auditor" });
    const dry = await send("?dryRun=true");
    const done = await send("");
    expect(done.status, done.text).toBe(200);
    expect(done.body).toMatchObject({ translation: { source: name }, users: { created: sample.created, failed: sample.failed ?? 0 } });
    expect([dry.body.users.created, dry.body.users.failed]).toEqual([sample.created, sample.failed ?? 0]);
    expect(done.body.translation.unmapped.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining([...(sample.unmapped ?? [])]),
    );
    expect(done.body.translation.choices.join()).toContain(sample.choice ?? "");
    const found = (await admin.get("/users?search=ada")).body[0];
    expect((await admin.get(`/users/${found.userId}`)).body).toMatchObject({
      ...sample.user,
      ...(sample.userId && { userId: sample.userId }),
    });
    if (sample.group)
      expect((await admin.get(`/users/${found.userId}/groups`)).body.map(({ name }: { name: string }) => name)).toEqual([sample.group]);
    if (!sample.signsIn) {
      expect((await iam.browser().trySignIn(realm.name, found.username, "")).status).not.toBe(303);
      return;
    }
    const [username, password] = sample.signsIn;
    expect((await iam.browser().trySignIn(realm.name, username, password)).status).toBe(303);
    expect((await iam.browser().trySignIn(realm.name, username, `${password}?`)).status).toBe(401);
  },
);

test("a group with four times the members takes no more than several times as long", async () => {
  const realm = await iam.realm();
  const dump = (members: number) =>
    [
      "dn: cn=all,dc=x",
      "objectClass: groupOfNames",
      "cn: all",
      ...Array.from({ length: members }, (_, at) => `member: uid=u${at},dc=x`),
      "",
    ].join("\n");
  const [small, large] = [dump(5000), dump(20_000)].map((body) => async () => {
    const headers = { "content-type": "application/octet-stream" };
    const { status, text } = await realm.asMaster().post("/import/external?dryRun=true", body, { headers });
    expect(status, text).toBe(200);
  });
  const [least, most] = await leastCpuTime(small!, large!);
  expect(most! / least!).toBeLessThan(9);
});

test("rows of the import of users take ids, groups, roles of clients, organizations, authenticator apps and accounts at providers, also as CSV", async () => {
  const realm = await iam.realm();
  const admin = await realm.admin();
  const party = await relyingParty(iam, realm, { clientId: "shop", grantTypes: ["password"] });
  await admin.post("/groups", { name: "Staff" });
  const shop = (await admin.get("/clients?search=shop")).body[0];
  await admin.post(`/clients/${shop.id}/roles`, { name: "buyer" });
  await admin.post("/organizations", { name: "Acme", alias: "acme" });
  const corp = {
    alias: "corp",
    protocol: "oidc",
    config: { issuer: "https://idp.example.com", clientId: "us", clientSecret: "the secret of corp" },
  };
  expect((await admin.post("/identity-providers", corp)).status).toBe(201);
  const csv = `username,userId,groups,clientRoles,organizations,totpSecret,passwordHash\nada,${uuid(8)},/Staff,shop/buyer,acme:admin,${TOTP},${BCRYPT}\nbad,,/Nowhere,,,,\n`;
  const report = await admin.post("/users/import", csv, { headers: { "content-type": "text/csv" } });
  expect(report.body, report.text).toMatchObject({ created: 1, failed: 1 });
  const json = [
    { username: "bob", federatedIdentities: [{ provider: "corp", subject: "s-1" }] },
    { username: "eve", federatedIdentities: [{ provider: "corp", subject: "s-1" }] },
    { username: "kim", federatedIdentities: [{ provider: "nowhere", subject: "s-2" }] },
  ];
  const linked = await admin.post("/users/import", json);
  expect([linked.body.created, linked.body.errors.map(({ row }: { row: number }) => row)], linked.text).toEqual([1, [2, 3]]);
  const [bob] = (await admin.get("/users?search=bob")).body;
  expect((await admin.get(`/users/${bob.userId}/linked-accounts`)).body).toMatchObject([{ alias: "corp", subject: "s-1" }]);
  const less = await realm.as("manage-users");
  const refused = await less.post("/users/import", [{ username: "zoe", federatedIdentities: [{ provider: "corp", subject: "s-3" }] }]);
  expect(refused.body, refused.text).toMatchObject({ created: 0, errors: [{ code: "permissions.escalation" }] });
  const form = { algorithm: "SHA1", digits: 6, period: 30 } as const;
  const key = Buffer.from("48656c6c6f21deadbeef48656c6c6f21deadbeef", "hex");
  const ask = (more: object) =>
    party.post("/token", { grant_type: "password", scope: "openid", username: "ada", password: "U*U", ...more });
  expect((await ask({})).body.error_description).toContain("send the code");
  const answer = await ask({ totp: totpCode(key, totpStep(clock.now(), form), form) });
  expect(answer.status, answer.text).toBe(200);
  expect((await admin.get(`/users/${uuid(8)}/organizations`)).text).toContain('"admin"');
});
