// Two realms of one server: `down` signs in by `up`, with nothing between them but their metadata.
import { afterAll, beforeAll, expect, test } from "vitest";
import { samlBrokered } from "../../../testing/brokered-realm.ts";
import { type Harness, harness } from "../../../testing/harness.ts";
import { submit, walk } from "../../../testing/relying-party.ts";
import { postedBy } from "../../../testing/service-provider.ts";
import { isSignedIn } from "../../../testing/step-pages.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness({ GATEHOUSE_MODE: "development" });
});
afterAll(() => iam?.close());

test("a user of one realm signs in to the other", async () => {
  const { baseUrl } = iam.config;
  const up = await iam.realm();
  const idp = (await iam.browser().get(`/realms/${up.name}/saml/idp/metadata`)).text;
  const down = await samlBrokered(iam, { metadataXml: idp, wantAssertionsSigned: true }, "up");
  const sp = (await iam.browser().get(`${down.at}/metadata`)).text;
  const imported = await up.asMaster().post("/saml-clients/import", sp, { headers: { "content-type": "application/samlmetadata+xml" } });
  expect(imported.status, imported.text).toBe(201);
  expect(imported.body).toMatchObject({ entityId: `${baseUrl}${down.at}`, assertionConsumerServiceUrl: `${baseUrl}${down.at}/endpoint` });

  const user = await up.user();
  const profile = { email: "ada@example.com", attributes: { firstName: "Ada", lastName: "Lovelace" } };
  expect((await up.asMaster().patch(`/users/${user.userId}`, profile)).status).toBe(200);
  const browser = iam.browser();
  const { left } = await down.leave(browser);
  const { page } = await walk(browser, baseUrl, (left as URL).href);
  const { page: answer } = await submit(browser, baseUrl, page, { username: user.username, password: user.password });
  const { action, fields } = postedBy(answer);
  expect(action).toBe(`${baseUrl}${down.at}/endpoint`);
  const back = await down.post(browser, fields);
  expect(isSignedIn(back, down.realm.name), `${back.status} ${back.headers.location} ${back.text}`).toBe(true);
  expect(await down.users()).toMatchObject([{ email: "ada@example.com", attributes: { firstName: "Ada", lastName: "Lovelace" } }]);

  const others = [
    `${baseUrl}${down.at}`,
    `${baseUrl}${down.at}/login`,
    `${baseUrl}${down.at}/endpoint?x=y`,
    `${baseUrl}/realms/x/broker/../logout`,
  ];
  for (const url of others) {
    const client = { entityId: "https://sp.example", assertionConsumerServiceUrl: url };
    expect((await up.asMaster().post("/saml-clients", client)).status, url).toBe(400);
  }
});
