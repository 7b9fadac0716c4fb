import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Harness, harness } from "../../../testing/harness.ts";
import { relyingParty } from "../../../testing/relying-party.ts";
import { grantTypes } from "../../token-endpoint/index.ts";
import "./runtime-warning.ts";
import { noKeys } from "./models/signing-keys.ts";
import { makeEngine } from "./provider.ts";

let iam: Harness;
beforeAll(async () => {
  iam = await harness();
});
afterAll(() => iam?.close());

/** The engine of a realm by itself, without the routes that stand before it. */
async function engineOf(realm: string) {
  const { callback, provider } = makeEngine((await iam.server.issuers.get(realm))!.parts);
  const server = createServer(callback);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, provider, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe("what we answer ourselves, the engine does not answer", () => {
  test("no grant at /token, and nothing at the other endpoints that it has", async () => {
    const realm = await iam.realm();
    const grants = ["authorization_code", "refresh_token", "client_credentials"];
    const { clientId, secret } = await relyingParty(iam, realm, { publicClient: false, grantTypes: grants });
    const engine = await engineOf(realm.name);
    try {
      for (const grant_type of grantTypes) {
        const body = new URLSearchParams({ grant_type, client_id: clientId, client_secret: secret!, scope: "openid" });
        expect((await fetch(`${engine.url}/token`, { method: "POST", body })).status, grant_type).toBe(404);
      }
      for (const path of ["/userinfo", "/jwks", "/introspection", "/token/introspection", "/token/revocation", "/me"])
        for (const method of ["GET", "POST"]) expect((await fetch(engine.url + path, { method })).status, `${method} ${path}`).toBe(404);
      // It is there: what it is asked for, it answers.
      expect((await fetch(`${engine.url}/authorize`, { redirect: "manual" })).status).toBe(400);
    } finally {
      await engine.close();
    }
  });

  test("it has no key that could sign or verify anything", async () => {
    const realm = await iam.realm();
    const { provider } = makeEngine((await iam.server.issuers.get(realm.name))!.parts);
    const client = await provider.Client.find((await relyingParty(iam, realm, {})).clientId);
    const token = new provider.IdToken({ sub: "somebody" }, { client: client as never } as never);
    await expect(token.issue({ use: "userinfo" })).rejects.toThrow("does not make tokens");
    for (const key of noKeys()) {
      expect(() => key.sign(Buffer.from("anything"))).toThrow("no keys");
      expect(() => key.keyObject()).toThrow("no keys");
    }
  });
});

describe("oidc-provider, in the version that is pinned", () => {
  /** Replaced by protocols/oidc: an upgrade that renames one, or calls it otherwise, must not go unseen. */
  test.each([
    ["Client.find", 1],
    ["Client.prototype.includeSid", 0],
    ["Grant.find", 1],
    ["Grant.prototype.generateTokenId", 0],
    ["Session.get", 1],
    ["Session.prototype.ensureClientContainer", 1],
    ["Session.prototype.past", 1],
    ["Session.prototype.sidFor", 2],
    ["Interaction.find", 1],
    ["Interaction.prototype.save", 1],
    ["PushedAuthorizationRequest.prototype.save", 1],
    ["DeviceCode.prototype.save", 0],
    ["AccessToken.prototype.save", 0],
    ["IdToken.validate", 2],
    ["IdToken.prototype.issue", 0],
    ["OIDCContext.prototype.urlFor", 2],
  ] as const)("has %s, which takes %i", (path, arity) => {
    const provider: unknown = new Provider("https://issuer.example");
    const member = path.split(".").reduce((holder, name) => (holder as Record<string, unknown>)[name], provider);
    expect(member).toBeTypeOf("function");
    expect((member as () => unknown).length).toBe(arity);
  });
});
