import { afterAll, beforeAll, expect, test } from "vitest";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import type { AdminClient } from "../../testing/realm.ts";

let iam: SharedHarness;
let admin: AdminClient;
beforeAll(async () => {
  iam = await sharedHarness();
  admin = (await iam.realm()).asMaster();
});
afterAll(() => iam?.close());

const organization = (displayName: string) => ({ name: "Acme", branding: { displayName } });
const profile = (shown: string) => ({ userProfile: { attributes: [{ name: "desk", displayName: { en: shown } }] } });
const provider = (fromName: string) => ({
  channel: "SMS",
  driver: "http",
  enabled: false,
  fromName,
  config: { url: "https://sms.example.com/" },
});
const texts: Readonly<Record<string, (text: string) => Promise<{ status: number; body: unknown }>>> = {
  displayName: (displayName) => admin.patch("/settings", { displayName }),
  "branding.displayName": (text) => admin.post("/organizations", organization(text)),
  "userProfile.attributes.0.displayName.en": (text) => admin.patch("/settings", profile(text)),
  consentText: (consentText) => admin.post("/client-scopes", { name: "orders", consentText }),
  name: (name) => admin.post("/clients", { clientId: "shop", name }),
  "options.name": (name) =>
    admin.post("/saml-clients", { entityId: "urn:sp", assertionConsumerServiceUrl: "https://sp.example.com/acs", options: { name } }),
  fromName: (fromName) => admin.put("/messaging/providers", provider(fromName)),
};

test.each([
  ["spaces", " \u3000"],
  ["a line break", "Acme\nCorp"],
  ["a line separator", "Acme\u2028Corp"],
  ["a control character", "Acme\u0007"],
  ["a character that reverses the text behind it", "Acme \u202eproC"],
  ["an isolate of direction", "Acme \u2066Corp\u2069"],
  ["nothing that is visible", "\u200b\u2060"],
  ["only a joiner", "\u200d"],
])("a name that people read cannot be %s", async (_, text) => {
  for (const [field, save] of Object.entries(texts)) {
    const message = `${field}: one line of visible text, without control, hidden and direction characters`;
    expect(await save(text), field).toMatchObject({ status: 400, body: { errors: [{ field, message }] } });
  }
});

test.each(["Acme & Søn", "مؤسسه\u200cها", "👩\u200d🚀 ❤\ufe0f", "株式会社"])("%s is a name that people read", async (text) => {
  for (const field of ["displayName", "userProfile.attributes.0.displayName.en", "fromName"])
    expect([200, 201], field).toContain((await texts[field]!(text)).status);
});
