import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { clock, MINUTE } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { relyingParty } from "../../testing/relying-party.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
  await iam.server.jobs.stop(); // the cleanup would delete rows by the moved clock
});
afterEach(() => clock.reset());
afterAll(() => iam?.close());

describe("an access token of a user who signed in (RFC 9068 §2.2.1, RFC 9470 §6)", () => {
  test("contains acr, amr and auth_time, also after a refresh, and so does introspection", async () => {
    const realm = await iam.realm();
    const party = await relyingParty(iam, realm, { publicClient: false });
    const { body: tokens } = await party.signIn(iam.browser(), await realm.user());
    const { acr, amr, auth_time } = decodeJwt(tokens.id_token);
    expect({ acr, amr, auth_time }).toEqual({ acr: "1", amr: ["pwd"], auth_time: expect.any(Number) });
    expect(decodeJwt(tokens.access_token)).toMatchObject({ acr, amr, auth_time });
    clock.advance(2 * MINUTE);
    const { body } = await party.post("/token", { grant_type: "refresh_token", refresh_token: tokens.refresh_token });
    expect(decodeJwt(body.access_token)).toMatchObject({ acr, amr, auth_time });
    expect((await party.post("/introspect", { token: body.access_token })).body).toMatchObject({ active: true, acr, amr, auth_time });
  });

  test("a client credentials token contains none of them", async () => {
    const party = await relyingParty(iam, await iam.realm(), { publicClient: false, grantTypes: ["client_credentials"] });
    const { body } = await party.post("/token", { grant_type: "client_credentials" });
    for (const claim of ["acr", "amr", "auth_time"]) expect(decodeJwt(body.access_token)).not.toHaveProperty(claim);
  });
});
