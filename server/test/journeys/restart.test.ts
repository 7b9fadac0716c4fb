import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { emptyDatabase, emptyFolder, onBoth, startRefused, startServer } from "./process.ts";
import { must } from "./visitor.ts";

const MASTER = "/admin/realms/master";

describe.each(onBoth)("a restart, on $kind", ({ kind, missing }) => {
  test.skipIf(missing)(
    "keeps sessions, users, settings and keys; SIGTERM ends the process with 0; another master key is refused",
    async () => {
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

      const key = randomBytes(32).toString("base64");
      const refused = await startRefused({ ...place, env: { ...place.env, GATEHOUSE_MASTER_KEY: key } });
      expect(refused.code).toBe(1);
      expect(refused.err).toMatch(
        /The master key \(id \S+\) is not the one this database was written with\. Set GATEHOUSE_MASTER_KEY to that one/,
      );
      expect(refused.err).not.toContain(key);
      if (kind === "postgres") {
        const without = await startRefused({ env: { ...place.env, GATEHOUSE_MASTER_KEY: undefined } });
        expect(without.code).toBe(1);
        expect(without.err).toContain("GATEHOUSE_MASTER_KEY");
      }

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
    },
  );
});
