import { expect, test } from "vitest";
import { openidBroker } from "../../testing/openid-broker.ts";
import { isSignedIn } from "../../testing/step-pages.ts";

const { brokered, signIn } = openidBroker(() => undefined);

test("another phone number of the provider was not proven with the former one, unless the provider says so", async () => {
  const realm = await brokered();
  const map = async (claim: string, attribute: string) =>
    expect(
      (await realm.asMaster().post("/identity-providers/corp/mappers", { name: claim, type: "attribute", claim, attribute })).status,
    ).toBe(201);
  const arrive = async (claims: Record<string, unknown>) => {
    expect(isSignedIn((await signIn(realm, { claims })).back, realm.name)).toBe(true);
    return (await realm.asMaster().get("/users?search=ada")).body[0];
  };
  await map("phone", "phoneNumber");
  const { userId, attributes } = await arrive({ phone: "+31612345678" });
  await realm.asMaster().patch(`/users/${userId}`, { attributes: { ...attributes, phoneNumberVerified: "true" } });
  expect((await arrive({ phone: "+31612345678" })).attributes).toMatchObject({ phoneNumberVerified: "true" });
  expect((await arrive({ phone: "+31687654321" })).attributes).not.toHaveProperty("phoneNumberVerified");
  await map("proven", "phoneNumberVerified");
  expect((await arrive({ phone: "+31611111111", proven: "true" })).attributes).toMatchObject({ phoneNumberVerified: "true" });
});
