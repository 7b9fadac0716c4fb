import { expect, test } from "vitest";
import { PASSWORD, type ServerProcess, startServer } from "./process.ts";
import { must } from "./visitor.ts";

const CLIENT = "203.0.113.7";
const PUBLIC = { GATEHOUSE_MODE: "production", GATEHOUSE_BASE_URL: "https://id.example.org" };

/** Signs in through a proxy that adds the header, and answers the address that the trail then shows. */
async function recordedAddress(server: ServerProcess, forwarded: string): Promise<string> {
  const visitor = server.visitor();
  must(await visitor.trySignIn("master", "admin", PASSWORD, { headers: { "x-forwarded-for": forwarded } }), 303);
  const { items } = must(await visitor.get("/admin/realms/master/events?type=LOGIN_SUCCESS&size=1"), 200);
  const [session] = must(await visitor.get("/admin/realms/master/sessions"), 200);
  expect(session.sourceIp).toBe(items[0].sourceIp);
  return items[0].sourceIp;
}

test("behind a trusted proxy, events and sessions show the client's address; https makes cookies Secure and sends HSTS", async () => {
  const server = await startServer({ onAnyDatabase: true, env: { ...PUBLIC, GATEHOUSE_TRUST_PROXY: "127.0.0.1" } });
  expect(await recordedAddress(server, CLIENT)).toBe(CLIENT);
  // The client's own entries come before the proxy's.
  expect(await recordedAddress(server, `198.51.100.66, ${CLIENT}`)).toBe(CLIENT);

  const visitor = server.visitor();
  const page = await visitor.get("/realms/master/login");
  const entered = await visitor.trySignIn("master", "admin", PASSWORD);
  for (const { headers } of [page, entered]) {
    expect(headers["strict-transport-security"]).toMatch(/max-age=\d{7,}/);
    const cookies = [headers["set-cookie"] ?? []].flat();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/; Secure/i);
  }
  expect([entered.headers["set-cookie"]].flat().find((cookie) => cookie?.startsWith("__Host-gh_master="))).toMatch(/; HttpOnly/i);
  expect(await server.stop()).toMatchObject({ code: 0 });
});

test("without trust, X-Forwarded-For is ignored; plain http sends neither Secure nor HSTS", async () => {
  const server = await startServer({ onAnyDatabase: true });
  expect(await recordedAddress(server, CLIENT)).toBe("127.0.0.1");
  const page = await server.visitor().get("/realms/master/login", { headers: { "x-forwarded-proto": "https" } });
  expect(page.headers["strict-transport-security"]).toBeUndefined();
  expect(String(page.headers["set-cookie"])).not.toMatch(/; Secure/i);
  expect(await server.stop()).toMatchObject({ code: 0 });
});
