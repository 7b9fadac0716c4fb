// Clients of the Model Context Protocol, with its own SDKs. Nothing is configured for any of them.
import type { Server as HttpServer } from "node:http";
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from "@modelcontextprotocol/client";
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { ClientCredentialsProvider } from "@modelcontextprotocol/sdk/client/auth-extensions.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp, type Server } from "../../app.ts";
import { createOutbound } from "../../platform/outbound/index.ts";
import { createMetrics } from "../../platform/telemetry/metrics.ts";
import { Browser } from "../../testing/browser.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";
import { httpsPeer, sendJson } from "../../testing/https-peer.ts";
import type { Listening } from "../../testing/peer-sockets.ts";
import { privateAuthority } from "../../testing/private-authority.ts";
import type { RealmUnderTest } from "../../testing/realm.ts";
import { submit, walk } from "../../testing/relying-party.ts";

const CALLBACK = "http://127.0.0.1:4711/callback";
let iam: SharedHarness;
let server: Server;
let peer: Listening;
/** Starts the MCP server of the docs. */
let startMcpServer: (options: object) => Promise<{ http: HttpServer; resource: string }>;
const started: HttpServer[] = [];

beforeAll(async () => {
  iam = await sharedHarness();
  const authority = await privateAuthority();
  peer = await httpsPeer(await authority.identity("assistant.example"), (_request, response) =>
    sendJson(response, 200, { client_id: documentAddress(), client_name: "Assistant", redirect_uris: [CALLBACK] }),
  );
  const outbound = createOutbound({
    ...{ allowedHosts: ["127.0.0.1"], allowLoopbackHttp: false, ca: authority.ca },
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  server = await createApp({ ...iam.core, metrics: createMetrics() }, { outbound });
  await server.app.ready();
  ({ startMcpServer } = await import(new URL("../../../../examples/mcp-server/server.mjs", import.meta.url).href));
});
afterAll(async () => {
  for (const http of started) http.close();
  await server?.close();
  await peer?.close();
  await iam?.close();
});
const documentAddress = () => `https://assistant.example:${peer.port}/client.json`;

/** Sends the requests of the SDK: to this server by its public address, and to MCP servers directly. */
async function reach(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = String(input);
  if (!url.startsWith(iam.config.baseUrl)) return fetch(input, init);
  const sent: Record<string, string> = {};
  new Headers(init.headers).forEach((value, name) => {
    sent[name] = value;
  });
  const { statusCode, headers, body } = await server.app.inject({
    method: (init.method ?? "GET") as "GET",
    url: url.slice(iam.config.baseUrl.length),
    headers: sent,
    ...(init.body != null && { payload: String(init.body) }),
  });
  return new Response(body, { status: statusCode, headers: headers as Record<string, string> });
}

const mcpServer = async (realm: RealmUnderTest) => {
  const { http, resource } = await startMcpServer({
    ...{ resource: "http://127.0.0.1:0/mcp", issuer: `${iam.config.baseUrl}/realms/${realm.name}`, scopes: ["orders"], fetch: reach },
  });
  started.push(http);
  return resource;
};

/** Creates a provider that stores the values of an MCP client, and the address to which it sends its user. */
function memory(more: Partial<OAuthClientProvider> = {}) {
  const kept: Record<string, unknown> = {};
  const keep = (name: string) => (value: unknown) => {
    kept[name] = value;
  };
  const provider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      ...{ client_name: "Desk", redirect_uris: [CALLBACK], application_type: "native", token_endpoint_auth_method: "none" },
      grant_types: ["authorization_code", "refresh_token"],
    },
    clientInformation: () => kept.client,
    saveClientInformation: keep("client"),
    tokens: () => kept.tokens,
    saveTokens: keep("tokens"),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: keep("verifier"),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: keep("discovery"),
    redirectToAuthorization: ({ href }: URL) => keep("url")(href),
    ...more,
  } as unknown as OAuthClientProvider;
  return { kept, provider };
}

type Sdk = 1 | 2;
/** Attempts to connect. Returns the connection, or the redirect to the sign-in page. */
async function connect(sdk: Sdk, resource: string, provider: OAuthClientProvider) {
  const options = { authProvider: provider, fetch: reach };
  const info = { name: "test", version: "1" };
  const [client, transport] =
    sdk === 1
      ? [new Client(info), new StreamableHTTPClientTransport(new URL(resource), options)]
      : [new Client2(info), new Transport2(new URL(resource), options as never)];
  const isRefused = await (client as Client).connect(transport as StreamableHTTPClientTransport).then(
    () => false,
    (error) => {
      if (error instanceof UnauthorizedError || error.name === "UnauthorizedError") return true;
      throw error;
    },
  );
  return { client: client as Client, transport: transport as StreamableHTTPClientTransport, isRefused };
}

const whoami = async (client: Client): Promise<{ sub: string; client: string; scopes: string[] }> => {
  const { content } = await client.callTool({ name: "whoami" });
  await client.close();
  return JSON.parse((content as { text: string }[])[0]!.text);
};

/** Signs the user in at the address of the client, and consents. */
async function answer(kept: Record<string, unknown>, user: { username: string; password: string }, visitor = new Browser(server.app)) {
  const { baseUrl } = iam.config;
  let { page, left } = await walk(visitor, baseUrl, String(kept.url));
  if (left === null && page.text.includes('name="password"'))
    ({ page, left } = await submit(visitor, baseUrl, page, { username: user.username, password: user.password }));
  const consent = page.text;
  if (left === null) ({ left } = await submit(visitor, baseUrl, page, { decision: "allow" }));
  expect(left?.href, page.text).toContain(CALLBACK);
  return { consent, left: left!, visitor };
}

test("both SDKs sign in with one API in the realm: by registering themselves, by a document, and as machines", async () => {
  const realm = await iam.realm();
  const master = realm.asMaster();
  const [first, second] = [await mcpServer(realm), await mcpServer(realm)];
  await master.put("/provisioning", { registration: { requireInitialAccessToken: false, metadataDocuments: true } });
  await master.post("/client-scopes", { name: "orders", consentText: "See your orders" });
  const open = { resourceAccess: "everyone", resourceScopes: ["orders"], grantTypes: [] };
  await master.post("/clients", { clientId: "orders-api", name: "Orders", resourceIndicators: [first], ...open });
  const user = await realm.user();

  const ways = { registered: {}, document: { clientMetadataUrl: documentAddress() } };
  for (const sdk of [1, 2] as const)
    for (const [way, more] of Object.entries(ways)) {
      const { kept, provider } = memory(more);
      const asked = await connect(sdk, first, provider);
      expect(asked.isRefused, "a stranger is sent to the sign-in page").toBe(true);
      const { consent, left, visitor } = await answer(kept, user);
      expect(consent, "the page names the API, its address and where the answer goes").toMatch(/Orders[\s\S]*127\.0\.0\.1:\d+\/mcp/);
      expect(consent).toContain("See your orders");
      expect(consent).toContain("127.0.0.1:4711");
      await (sdk === 1
        ? asked.transport.finishAuth(left.searchParams.get("code")!)
        : asked.transport.finishAuth(left.searchParams as never));
      const { client } = await connect(sdk, first, provider);
      const seen = await whoami(client);
      expect(seen, `${way}, SDK ${sdk}`).toMatchObject({ sub: user.userId, scopes: sdk === 1 ? ["orders"] : ["orders", "offline_access"] });
      if (way === "document") expect(seen.client).toBe(documentAddress());

      // With a refreshed token, the client continues without a page.
      kept.tokens = { ...(kept.tokens as object), access_token: "stale" };
      kept.url = undefined;
      expect(await whoami((await connect(sdk, first, provider)).client)).toMatchObject({ sub: user.userId });
      expect(kept.url).toBeUndefined();

      // The other MCP server refuses the token. It is no API of the realm, so no token can be issued for it.
      expect(
        (
          await fetch(second, {
            method: "POST",
            headers: { authorization: `Bearer ${(kept.tokens as { access_token: string }).access_token}` },
          })
        ).status,
      ).toBe(401);
      const other = memory(more);
      await connect(sdk, second, other.provider);
      const refused = await walk(visitor, iam.config.baseUrl, String(other.kept.url));
      expect(refused.left?.searchParams.get("error")).toBe("invalid_target");
    }

  // If the second API is open as well, the user is asked again: consent to the first does not count for it.
  await master.post("/clients", { clientId: "second-api", name: "Second", resourceIndicators: [second], ...open });
  const { kept, provider } = memory(ways.document);
  await connect(1, second, provider);
  expect((await answer(kept, user)).consent).toContain("Second");

  // This is MCP's extension for machines: a client that administrators created, for an open API.
  const { secret } = (await master.post("/clients", { clientId: "robot", publicClient: false, grantTypes: ["client_credentials"] })).body;
  const machine = new ClientCredentialsProvider({
    ...{ clientId: "robot", clientSecret: secret, scope: "orders", expectedIssuer: `${iam.config.baseUrl}/realms/${realm.name}` },
  } as never);
  expect(await whoami((await connect(1, first, machine)).client)).toMatchObject({ sub: "robot", scopes: ["orders"] });
});
