import { afterAll, beforeAll, expect, test } from "vitest";
import { clock, DAY, HOUR, MINUTE } from "../../kernel/clock.ts";
import { newId } from "../../kernel/ids.ts";
import { sha256 } from "../../kernel/vault.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { type Mailing, mailing } from "../../testing/mailing.ts";
import { deleteExpiredInvitations } from "./index.ts";

let iam: SharedHarness;
let mail: Mailing;
beforeAll(async () => {
  [iam, mail] = await Promise.all([sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1" }), mailing()]);
});
afterAll(async () => {
  await iam?.close();
  await mail?.peer.close();
});

let people = 0;
/** Later ones are also later in the alphabet. */
const newAddress = () => `guest${1_000 + people++}@example.com`;

async function acme({ sendsMail = true } = {}) {
  const realm = await iam.realm();
  if (sendsMail) await mail.enable(realm);
  const admin = await realm.as("manage-organizations", "view-users");
  const { organizationId } = (await admin.post("/organizations", { name: "Acme" })).body;
  return { realm, admin, organizationId, at: `/organizations/${organizationId}` };
}

const rowsOf = (realm: { name: string }) =>
  iam.core.db
    .selectFrom("organization_invitations")
    .select(["invitation_id", "email_key", "token_hash", "inviter_id", "accepted_at"])
    .where("realm_id", "=", realm.name)
    .execute();

test("an invitation leaves by mail, and its link is neither answered nor stored", async () => {
  const { realm, admin, at, organizationId } = await acme();
  const email = `Mixed.${newAddress()}`;
  const created = await admin.post(`${at}/invitations`, { email, role: "owner", expiresInHours: 48 });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    invitationId: expect.any(String),
    organizationId,
    email,
    role: "owner",
    status: "open",
    invitedBy: admin.username,
    createdAt: expect.any(Number),
    expiresAt: created.body.createdAt + 48 * HOUR,
    acceptedAt: null,
  });
  const [link] = await mail.linksTo(email);
  expect(link).toMatch(new RegExp(`^http://localhost:8080/realms/${realm.name}/invitations/[A-Za-z0-9_-]{43}$`));
  expect(mail.subjectsTo(email)).toEqual(["You are invited to join Acme"]);
  const token = link!.split("/").at(-1)!;
  expect(created.text).not.toContain(token);
  const rows = await rowsOf(realm);
  expect(rows).toEqual([expect.objectContaining({ email_key: email.toLowerCase(), token_hash: sha256(token) })]);
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(iam.output.join("")).not.toContain(token);
  expect((await admin.get(`${at}/invitations`)).body).toEqual([created.body]);
  expect(await realm.events(`resourceId=${organizationId}&type=ADMIN_CREATE`)).toContainEqual(
    expect.objectContaining({ resourceType: "organizations", detail: `invitations/${created.body.invitationId}` }),
  );
});

test("the mail names the organization as people know it, in the language of whom it is for", async () => {
  const { realm, admin, at } = await acme();
  await admin.patch(at, { displayName: "Acme & <Zonen>" });
  const [email, dutch] = [newAddress(), newAddress()];
  await realm.asMaster().post("/users", { username: "jan", email: dutch, attributes: { locale: "nl" } });
  for (const address of [email, dutch]) expect((await admin.post(`${at}/invitations`, { email: address })).status).toBe(201);
  await Promise.all([mail.linksTo(email), mail.linksTo(dutch)]);
  expect(mail.subjectsTo(email)).toEqual(["You are invited to join Acme & <Zonen>"]);
  expect(mail.subjectsTo(dutch)).toEqual(["Je bent uitgenodigd voor Acme & <Zonen>"]);
});

test("a second invitation to the same address replaces the first: one row, another link", async () => {
  const { realm, admin, at } = await acme();
  const email = newAddress();
  const first = (await admin.post(`${at}/invitations`, { email })).body;
  await mail.linksTo(email);
  const again = await admin.post(`${at}/invitations`, { email: email.toUpperCase(), role: "admin" });
  expect(again).toMatchObject({ status: 201, body: { invitationId: first.invitationId, role: "admin" } });
  const [oldLink, newLink] = await mail.linksTo(email, 2);
  expect(await rowsOf(realm)).toEqual([expect.objectContaining({ token_hash: sha256(newLink!.split("/").at(-1)!) })]);
  expect((await iam.browser().get(new URL(oldLink!).pathname)).status).toBe(404);
  expect((await iam.browser().get(new URL(newLink!).pathname)).status).toBe(200);
});

test("without a mail provider no user is invited, and the answer says what to do", async () => {
  const { realm, admin, at } = await acme({ sendsMail: false });
  const refused = await admin.post(`${at}/invitations`, { email: newAddress() });
  expect(refused).toMatchObject({ status: 409, body: { code: "messaging.no_provider" } });
  expect(refused.body.detail).toContain("configure");
  expect(await rowsOf(realm)).toEqual([]);
});

test("refuses members, disabled organizations, bad addresses and terms, and too many mails", async () => {
  const { realm, admin, at, organizationId } = await acme();
  const { userId } = (await realm.asMaster().post("/users", { username: "ada", email: "ada@example.com" })).body;
  await admin.put(`${at}/members/${userId}`);
  for (const email of ["ADA@example.com"])
    expect((await admin.post(`${at}/invitations`, { email })).body.code).toBe("organizations.already_member");
  for (const body of [
    {},
    { email: "nobody" },
    { email: "a@b.example\r\nbcc: c@d.example" },
    { email: `${"x".repeat(400)}@example.com` },
    { email: "a@example.com", expiresInHours: 0 },
    { email: "a@example.com", expiresInHours: 721 },
    { email: "a@example.com", role: "Owner!" },
    { email: "a@example.com", token: "mine" },
  ])
    expect((await admin.post(`${at}/invitations`, body)).status, JSON.stringify(body).slice(0, 80)).toBe(400);
  expect((await admin.post(`/organizations/${newId()}/invitations`, { email: newAddress() })).status).toBe(404);
  const flooded = newAddress();
  const answers = [];
  for (let i = 0; i < 6; i++) answers.push((await admin.post(`${at}/invitations`, { email: flooded })).status);
  expect(answers).toEqual([201, 201, 201, 201, 201, 429]);
  await admin.put(`/organizations/${organizationId}`, { name: "Acme", enabled: false });
  expect((await admin.post(`${at}/invitations`, { email: newAddress() })).body.code).toBe("organizations.disabled");
});

test("the list is filtered by status; one is withdrawn, and old ones are forgotten", async () => {
  const { admin, at } = await acme();
  const emails = [newAddress(), newAddress(), newAddress()] as const;
  const [short, long] = [
    (await admin.post(`${at}/invitations`, { email: emails[0], expiresInHours: 1 })).body,
    (await admin.post(`${at}/invitations`, { email: emails[1], expiresInHours: 720 })).body,
  ];
  const accepted = (await admin.post(`${at}/invitations`, { email: emails[2], expiresInHours: 2 })).body;
  const change = (id: string, set: { accepted_at?: number; expires_at?: number }) =>
    iam.core.db.updateTable("organization_invitations").set(set).where("invitation_id", "=", id).execute();
  await change(accepted.invitationId, { accepted_at: 1 });
  const ids = async (query = "") =>
    (await admin.get(`${at}/invitations${query}`)).body.map(({ invitationId }: { invitationId: string }) => invitationId);
  expect(await ids()).toEqual([accepted.invitationId, long.invitationId, short.invitationId]);
  expect(await ids("?sort=email")).toEqual([short.invitationId, long.invitationId, accepted.invitationId]);
  expect(await ids(`?search=${emails[1].toUpperCase()}`)).toEqual([long.invitationId]);
  const past = clock.now() - MINUTE;
  for (const { invitationId } of [short, accepted]) await change(invitationId, { expires_at: past });
  expect(await ids("?status=open")).toEqual([long.invitationId]);
  expect(await ids("?status=expired")).toEqual([short.invitationId]);
  expect(await ids("?status=accepted")).toEqual([accepted.invitationId]);
  expect((await admin.get(`${at}/invitations?status=lost`)).status).toBe(400);

  await deleteExpiredInvitations(iam.core.db, past + 30 * DAY - 1);
  expect(await ids()).toHaveLength(3);
  await deleteExpiredInvitations(iam.core.db, past + 30 * DAY);
  expect(await ids()).toEqual([long.invitationId]);

  const other = (await admin.post("/organizations", { name: "Other" })).body.organizationId;
  expect((await admin.delete(`/organizations/${other}/invitations/${long.invitationId}`)).status).toBe(404);
  expect((await admin.delete(`${at}/invitations/${long.invitationId}`)).status).toBe(204);
  expect((await admin.delete(`${at}/invitations/${long.invitationId}`)).body.code).toBe("organizations.invitation_not_found");
});

test("a removed member does not return by an invitation from before, which another organization's is not", async () => {
  const { realm, admin, at } = await acme();
  const email = newAddress();
  const other = `/organizations/${(await admin.post("/organizations", { name: "Elsewhere" })).body.organizationId}`;
  for (const organization of [at, other])
    expect((await admin.post(`${organization}/invitations`, { email, role: "owner" })).status).toBe(201);
  const { userId } = (await realm.asMaster().post("/users", { username: "grace", email, emailVerified: true })).body;
  expect((await admin.put(`${at}/members/${userId}`)).status).toBe(204);
  expect((await admin.delete(`${at}/members/${userId}`)).status).toBe(204);
  expect((await admin.get(`${at}/invitations`)).body).toEqual([]);
  expect((await admin.get(`${other}/invitations`)).body).toEqual([expect.objectContaining({ email, status: "open" })]);
  expect((await admin.post(`${at}/invitations`, { email })).status).toBe(201);
});

test("a deleted user takes along the invitations to their address, and their name as inviter", async () => {
  const { realm, admin, at } = await acme();
  const [email, byName, other] = [newAddress(), newAddress(), newAddress()];
  for (const address of [email, byName, other]) await admin.post(`${at}/invitations`, { email: address });
  const master = realm.asMaster();
  for (const user of [{ username: "grace", email }, { username: byName }]) {
    const { userId } = (await master.post("/users", user)).body;
    expect((await master.delete(`/users/${userId}`)).status).toBe(204);
  }
  expect((await rowsOf(realm)).map(({ email_key }) => email_key)).toEqual([other]);
  expect((await master.delete(`/users/${admin.userId}`)).status).toBe(204);
  expect((await master.get(`${at}/invitations`)).body).toEqual([expect.objectContaining({ email: other, invitedBy: null })]);
  expect(await rowsOf(realm)).toEqual([expect.objectContaining({ inviter_id: null })]);
});
