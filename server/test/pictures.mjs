// npm run pictures: takes pictures of every page that the journeys examine, light and dark, on a desktop and a phone, into server/.cache/pictures (or the
// folder that PICTURES names). Arguments select other journeys.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const JOURNEYS = ["account", "browser", "sign-in", "passkeys", "people", "console"].map((name) => `test/journeys/${name}.test.ts`);
const folder = process.env.PICTURES ?? fileURLToPath(new URL("../.cache/pictures", import.meta.url));
mkdirSync(folder, { recursive: true });
const chosen = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  [fileURLToPath(new URL("./run.mjs", import.meta.url)), "--project", "journeys", ...(chosen.length > 0 ? chosen : JOURNEYS)],
  { cwd: fileURLToPath(new URL("..", import.meta.url)), stdio: "inherit", env: { ...process.env, JOURNEY_SCREENSHOTS: folder } },
);
console.log(`The pictures are in ${folder}`);
process.exitCode = status ?? 1;
