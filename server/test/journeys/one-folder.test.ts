import { expect, test } from "vitest";
import { emptyFolder, type ServerProcess, startServer } from "./process.ts";
import { must } from "./visitor.ts";

/** Starts two servers at the same instant in one folder, and returns the one that serves and the error of the other. */
async function startTwo(folder: string): Promise<{ served: ServerProcess; refusal: string }> {
  const both = await Promise.allSettled([startServer({ folder }), startServer({ folder })]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const { value: served } = both.find(({ status }) => status === "fulfilled") as PromiseFulfilledResult<ServerProcess>;
  const { reason } = both.find(({ status }) => status === "rejected") as PromiseRejectedResult;
  return { served, refusal: String(reason) };
}

test("of two servers in one data folder, one serves and the other says what to do, on the first start and after a kill", async () => {
  const folder = emptyFolder();
  const { served: first, refusal } = await startTwo(folder);
  expect(refusal).toContain("the server ended (1)");
  expect(refusal).toContain(`The data folder ${folder}/data/database is in use by process ${first.pid}`);
  expect(refusal).toContain("stop that one, choose another GATEHOUSE_DATA_DIR, or use Postgres (DATABASE_URL)");
  expect(refusal).not.toMatch(/\n\s+at /);

  const admin = await first.admin();
  const { userId } = must(await admin.post("/admin/realms/master/users", { username: "ada" }), 201);
  await first.kill();

  // It leaves its lock, which blocks no other start.
  const { served: second, refusal: next } = await startTwo(folder);
  expect(next).toContain("is in use by process");
  expect(must(await admin.at(second).get(`/admin/realms/master/users/${userId}`), 200)).toMatchObject({ username: "ada" });
  expect(await second.stop()).toMatchObject({ code: 0 });
});
