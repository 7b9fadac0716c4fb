import { expect, test } from "vitest";
import { emptyFolder, type ServerProcess, startRefused, startServer } from "./process.ts";
import { must } from "./visitor.ts";

test("a second server on the same data folder refuses and the first goes on; once that is killed, exactly one of two that find its lock starts", async () => {
  const folder = emptyFolder();
  const first = await startServer({ folder });
  const admin = await first.admin();

  const refused = await startRefused({ folder });
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(`The data folder ${folder}/data/database is in use by process ${first.pid}`);
  expect(refused.err).toContain("stop that one, choose another GATEHOUSE_DATA_DIR, or use Postgres (DATABASE_URL)");
  expect(refused.err).not.toMatch(/\n\s+at /);

  const { userId } = must(await admin.post("/admin/realms/master/users", { username: "ada" }), 201);
  await first.kill();

  const both = await Promise.allSettled([startServer({ folder }), startServer({ folder })]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const refusal = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
  expect(String(refusal.reason)).toContain("is in use by process");
  const { value: second } = both.find(({ status }) => status === "fulfilled") as PromiseFulfilledResult<ServerProcess>;
  expect(must(await admin.at(second).get(`/admin/realms/master/users/${userId}`), 200)).toMatchObject({ username: "ada" });
  expect(await second.stop()).toMatchObject({ code: 0 });
});
