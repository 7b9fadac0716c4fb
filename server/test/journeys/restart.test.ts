import { describe, expect, test } from "vitest";
import { emptyDatabase, emptyFolder, onBoth, startServer } from "./process.ts";
import { must } from "./visitor.ts";

const MASTER = "/admin/realms/master";

describe.each(onBoth)("a restart, on $kind", ({ kind, missing }) => {
  test.skipIf(missing)("keeps sessions, users, settings and keys; SIGTERM ends the process with 0", async () => {
    const place = { folder: emptyFolder(), env: await emptyDatabase(kind) };
    const before = await startServer(place);
    const admin = await before.admin();
    const user = must(await admin.post(`${MASTER}/users`, { username: "ada", email: "ada@example.org" }), 201);
    const settings = must(await admin.get(`${MASTER}/settings`), 200);
    const changed = must(await admin.put(`${MASTER}/settings`, { ...settings, welcomeText: "Still here" }), 200);
    const jwks = must(await admin.get("/realms/master/jwks"), 200);

    const ending = await before.stop();
    expect({ code: ending.code, signal: ending.signal }).toEqual({ code: 0, signal: null });
    expect(ending.out).toContain('"msg":"stopped"');

    // The session's cookie and its CSRF token are all that the browser has: both still count.
    const after = await startServer(place);
    const again = admin.at(after);
    expect(must(await again.get(`${MASTER}/users/${user.userId}`), 200)).toEqual(user);
    expect(must(await again.get(`${MASTER}/settings`), 200)).toEqual(changed);
    expect(must(await again.get("/realms/master/jwks"), 200)).toEqual(jwks);
    expect((await after.visitor().get("/realms/master/login")).text).toContain("Still here");
    must(await again.delete(`${MASTER}/users/${user.userId}`), 204);
    // Nothing was made a second time.
    expect(after.err()).not.toContain("Password");
    expect(must(await again.get(`${MASTER}/users`), 200).map(({ username }: { username: string }) => username)).toEqual(["admin"]);
    expect(await after.stop()).toMatchObject({ code: 0 });
  });
});
