import { createPublicKey, verify } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SharedHarness, sharedHarness, testDatabase } from "../../testing/harness.ts";

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

const part = (jwt: string, at: number) => JSON.parse(Buffer.from(jwt.split(".")[at]!, "base64url").toString());

describe.skipIf(testDatabase() !== "postgres")("while keys are rotated on one of two nodes", () => {
  test("no request fails, and every issued token is valid on both", async () => {
    const realm = await iam.realm();
    const second = await iam.secondNode();
    const nodes = [iam.server.app, second.server.app] as const;
    const admin = realm.asMaster();
    const make = async (clientId: string, more: object): Promise<{ clientId: string; secret: string }> => {
      const answer = await admin.post("/clients", { clientId, grantTypes: ["client_credentials"], ...more });
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    };
    const clients = [await make("rsa", {}), await make("ec", { accessTokenAlg: "ES256" })];
    const post = async (
      node: (typeof nodes)[number],
      path: string,
      { clientId, secret }: { clientId: string; secret: string },
      form: object,
    ) => {
      const answer = await node.inject({
        method: "POST",
        url: `/realms/${realm.name}${path}`,
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`,
        },
        payload: new URLSearchParams(form as Record<string, string>).toString(),
      });
      return { status: answer.statusCode, body: answer.json() };
    };

    const tokens: string[] = [];
    const failures: unknown[] = [];
    let rotating = true;
    let answered = () => {};
    /** Asks one node for a token, and at once has the other node introspect it. */
    const visitor = async (here: (typeof nodes)[number], there: (typeof nodes)[number], client: (typeof clients)[number], way: object) => {
      while (rotating) {
        const given = await post(here, "/token", client, { grant_type: "client_credentials", ...way });
        const introspected = given.status === 200 ? await post(there, "/introspect", client, { token: given.body.access_token }) : null;
        if (introspected?.body.active === true) tokens.push(given.body.access_token);
        else failures.push({ given, introspected });
        answered();
      }
    };
    // Tokens are requested without a resource, and with one.
    const ways = [{}, { resource: `${iam.config.baseUrl}/realms/${realm.name}` }];
    const visitors = clients.flatMap((client) =>
      ways.flatMap((way) => [visitor(nodes[0], nodes[1], client, way), visitor(nodes[1], nodes[0], client, way)]),
    );
    /** Waits until this many more requests have been answered. */
    const answers = (count: number) =>
      new Promise<void>((resolve) => {
        let left = count;
        answered = () => --left === 0 && resolve();
      });
    try {
      await answers(8);
      for (let times = 0; times < 2; times++) {
        expect(await admin.post("/keys/rotate")).toMatchObject({ status: 201 });
        await answers(16);
      }
    } finally {
      rotating = false;
      await Promise.all(visitors);
    }

    expect(failures).toEqual([]);
    const kids = new Set(tokens.map((jwt) => part(jwt, 0).kid));
    expect(kids.size).toBeGreaterThanOrEqual(4);
    for (const node of nodes) {
      const { keys } = (await node.inject({ url: `/realms/${realm.name}/jwks` })).json() as { keys: { kid: string; alg?: string }[] };
      for (const jwt of tokens) {
        const [head, body, signature] = jwt.split(".");
        const jwk = keys.find(({ kid }) => kid === part(jwt, 0).kid);
        expect(jwk, "a token was signed with a key that is not published").toBeDefined();
        const key = createPublicKey({ key: jwk as import("node:crypto").JsonWebKey, format: "jwk" });
        const how = part(jwt, 0).alg === "ES256" ? { key, dsaEncoding: "ieee-p1363" as const } : key;
        expect(verify("sha256", Buffer.from(`${head}.${body}`), how, Buffer.from(signature!, "base64url"))).toBe(true);
      }
    }
  }, 120_000);
});
