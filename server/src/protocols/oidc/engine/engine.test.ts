import { AsyncLocalStorage } from "node:async_hooks";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { interactionPolicy } from "oidc-provider";
import stepsOf from "oidc-provider/lib/actions/authorization/index.js";
import requestStorage from "oidc-provider/lib/helpers/als.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { grantTypes } from "../../../applications/clients/index.ts";
import { type SharedHarness, sharedHarness } from "../../../testing/harness.ts";
import { relyingParty } from "../../../testing/relying-party.ts";
import "./runtime-warning.ts";
import { noKeys } from "./models/signing-keys.ts";
import { makeEngine } from "./provider.ts";
import { ABOUT_USER } from "./requests/policy.ts";

const ENDPOINTS = [
  "authorization",
  "resume",
  "pushed_authorization_request",
  "device_authorization",
  "backchannel_authentication",
] as const;

let iam: SharedHarness;
beforeAll(async () => {
  iam = await sharedHarness();
});
afterAll(() => iam?.close());

/** Starts the engine of a realm by itself, without the routes before it. */
async function engineOf(realm: string) {
  const { callback, provider } = makeEngine((await iam.server.issuers.get(realm))!.parts);
  const server = createServer(callback);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, provider, close: () => new Promise((resolve) => server.close(resolve)) };
}

describe("the engine does not answer our own endpoints", () => {
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
      // The engine works, because its own endpoint answers.
      expect((await fetch(`${engine.url}/authorize`, { redirect: "manual" })).status).toBe(400);
    } finally {
      await engine.close();
    }
  });

  test("it has no key that can sign or verify", async () => {
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

/** The unpatched engine, in a process that loads none of our modules. */
const pristine = JSON.parse(
  execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "--eval", readEngine()], {
    cwd: dirname(fileURLToPath(import.meta.url)),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
) as Engine;

interface Engine {
  /** The number of arguments and the source of each method by path, such as `Client.find`. */
  readonly members: Readonly<Record<string, readonly [arity: number, source: string]>>;
  readonly steps: Readonly<Record<string, readonly (readonly [name: string, arity: number, source: string])[]>>;
}

/** Returns the text of a program that prints the members and steps of the unpatched engine. */
function readEngine(): string {
  return `
    import { Provider, interactionPolicy } from "oidc-provider";
    import stepsOf from "oidc-provider/lib/actions/authorization/index.js";
    ${membersOf}
    const steps = Object.fromEntries(${JSON.stringify(ENDPOINTS)}.map((endpoint) =>
      [endpoint, stepsOf(endpoint).map((step) => [step.name, step.length, String(step)])]));
    console.log(JSON.stringify({ members: membersOf(new Provider("https://issuer.example")), steps }));`;
}

/** Returns every method of every model: its own and inherited ones, static and not. */
function membersOf(provider: object): Engine["members"] {
  const found: Record<string, [number, string]> = {};
  const collect = (path: string, from: object | null) => {
    for (let holder = from; holder && holder !== Function.prototype && holder !== Object.prototype; holder = Object.getPrototypeOf(holder))
      for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(holder)))
        if (typeof value === "function" && name !== "constructor") found[`${path}.${name}`] ??= [value.length, String(value)];
  };
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(provider))) {
    const model = (provider as Record<string, unknown>)[name];
    if (typeof model !== "function" || !String(model).startsWith("class")) continue;
    collect(name, model);
    collect(`${name}.prototype`, model.prototype);
  }
  return found;
}

describe("oidc-provider, in the version that is pinned", () => {
  /** The methods that protocols/oidc/engine replaces. An upgrade that renames one, or changes its arguments, must be noticed. */
  const patched = [
    ["AccessToken.prototype.save", 0],
    ["Client.find", 1],
    ["Client.prototype.includeSid", 0],
    ["DeviceCode.prototype.save", 0],
    ["Grant.find", 1],
    ["Grant.prototype.generateTokenId", 0],
    ["IdToken.prototype.issue", 0],
    ["IdToken.validate", 2],
    ["Interaction.find", 1],
    ["Interaction.prototype.save", 1],
    ["OIDCContext.prototype.urlFor", 2],
    ["PushedAuthorizationRequest.prototype.save", 1],
    ["Session.get", 1],
    ["Session.prototype.ensureClientContainer", 1],
    ["Session.prototype.past", 1],
  ] as const;
  /** The methods that the replacements call. */
  const called = [
    ["Interaction.prototype.persist", 0],
    ["Session.instantiate", 1],
    ["Session.prototype.authTime", 0],
    ["Session.prototype.sidFor", 2],
    ["Grant.prototype.addOIDCClaims", 1],
    ["Grant.prototype.addOIDCScope", 1],
    ["Grant.prototype.addRar", 1],
    ["Grant.prototype.addResourceScope", 2],
    ["OIDCContext.prototype.entity", 2],
  ] as const;

  test.each([...patched, ...called])("has %s, which takes %i", (path, arity) => {
    expect(pristine.members[path]?.[0]).toBe(arity);
  });

  test("nothing else of its models is patched", async () => {
    const { provider } = makeEngine((await iam.server.issuers.get("master"))!.parts);
    const differing = Object.entries(membersOf(provider)).filter(([path, [, source]]) => pristine.members[path]?.[1] !== source);
    expect(differing.map(([path]) => path).sort()).toEqual(patched.map(([path]) => path));
  });

  const both = ["authorization", "pushed_authorization_request"] as const;
  /** The steps of the authorization stacks that are replaced or wrapped. */
  const replaced: readonly (readonly [name: string, arity: number, endpoints: readonly (typeof ENDPOINTS)[number][]])[] = [
    ["authenticateClient", 2, ["pushed_authorization_request", "device_authorization", "backchannel_authentication"]],
    ["checkClient", 2, ["device_authorization"]],
    ["checkClientGrantType", 2, ["device_authorization", "backchannel_authentication"]],
    ["checkDpopJkt", 2, ["pushed_authorization_request"]],
    ["checkResource", 2, [...both, "device_authorization", "backchannel_authentication"]],
    ["checkResponseMode", 2, both],
    ["checkResponseType", 2, both],
    ["checkScope", 2, [...both, "device_authorization", "backchannel_authentication"]],
    ["oneRedirectUriClients", 2, both],
    ["processRequestObject", 2, both],
  ];

  test.each(replaced)("has the step %s, which takes %i, at %j", (name, arity, endpoints) => {
    for (const endpoint of endpoints)
      expect(
        pristine.steps[endpoint]!.filter(([known]) => known === name).map(([, takes]) => takes),
        endpoint,
      ).toEqual([arity]);
  });

  /** The steps after `checkClient` when a request is resumed. */
  const again = ["unchecked", "checkRedirectUri", "checkResponseType", "checkIdTokenHint"];

  test("no other step is replaced or added, and before them stands only the translation of errors", () => {
    for (const endpoint of ENDPOINTS) {
      const [, ...all] = stepsOf(endpoint);
      const after = all.findIndex(({ name }) => name === "checkClient") + 1;
      const added = endpoint === "resume" ? again : [];
      expect(all.slice(after, after + added.length).map(({ name }) => name)).toEqual(added);
      const steps = all.toSpliced(after, added.length);
      expect(steps.map(({ name }) => name)).toEqual(pristine.steps[endpoint]!.map(([name]) => name));
      const differing = steps.filter((step, at) => String(step) !== pristine.steps[endpoint]![at]![2]).map(({ name }) => name);
      const expected = replaced.filter(([, , endpoints]) => endpoints.includes(endpoint)).map(([name]) => name);
      expect(differing.sort(), endpoint).toEqual(expected);
    }
  });

  test("has the prompts and checks that the policy changes", () => {
    const policy = interactionPolicy.base();
    const reasons = (prompt: string) => policy.get(prompt)!.checks.map(({ reason }) => reason);
    expect(reasons("login")).toEqual(expect.arrayContaining(["essential_acrs", "essential_acr", "no_session", ...ABOUT_USER]));
    expect(reasons("consent")).toEqual(expect.arrayContaining(["native_client_prompt", "rar_prompt"]));
  });

  test("keeps its request in an AsyncLocalStorage that can be disabled", () => {
    expect(requestStorage).toBeInstanceOf(AsyncLocalStorage);
  });
});
