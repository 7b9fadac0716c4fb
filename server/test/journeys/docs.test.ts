import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../peers/index.mjs";
import { noBrowser, personIn, sharedBrowser } from "./browser.ts";
import { emptyFolder, startServer } from "./process.ts";

// Every `sh` block of README and docs runs as printed: all of them, in the order of the README's table, on one fresh server. A reader
// who follows the pages from the top does the same. A block fails when a command fails or when a request is refused; "sh refused"
// marks a block that shows a refusal, and fails when nothing is refused.

const root = new URL("../../../", import.meta.url).pathname;
const readme = readFileSync(join(root, "README.md"), "utf8");
const pages = ["README.md", ...new Set([...readme.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map((found) => found[1]!))];

interface Block {
  readonly page: string;
  readonly line: number;
  readonly refused: boolean;
  readonly code: string;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```sh( refused)?\n(.*?)^```$/gms)].map((found) => ({
    page,
    line: text.slice(0, found.index).split("\n").length,
    refused: found[1] !== undefined,
    code: found[2]!,
  }));
}

/** curl that fails where the server refuses, and counts refusals instead where a block is about one. */
const PRELUDE = `
set -euo pipefail
curl() {
  local status=0
  command curl --fail-with-body --max-time 20 "$@" || status=$?
  if [ "$status" != 0 ] && [ -n "\${REFUSED:-}" ]; then echo x >> "$REFUSED"; return 0; fi
  return "$status"
}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
`;

/** One shell per page: what a block defines, the next one uses. Prints its position before each block. */
function scriptOf(page: string, place: (text: string) => string): string {
  const parts = blocksOf(page).map(({ line, refused, code }) => {
    const at = `${page}:${line}`;
    if (!refused) return `echo "== ${at}" >&2\n${place(code)}`;
    return `echo "== ${at}" >&2\nexport REFUSED=$(mktemp)\n${place(code)}\n[ -s "$REFUSED" ] || { echo "nothing was refused" >&2; exit 1; }\nunset REFUSED`;
  });
  return `${PRELUDE}\n${parts.join("\n")}\n`;
}

test("every page of docs is in the README's table, so that its commands run here", () => {
  const files = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  expect(files.map((name) => `docs/${name}`).filter((page) => !pages.includes(page))).toEqual([]);
  const quickstarts = readFileSync(join(root, "docs/quickstarts/README.md"), "utf8");
  const listed = [...quickstarts.matchAll(/\]\(([\w-]+\.md)\)/g)].map((found) => found[1]!);
  expect([...listed, "README.md"].sort()).toEqual(readdirSync(join(root, "docs/quickstarts")).sort());
});

describe("the commands of", () => {
  let folder: string;
  let place: (text: string) => string;
  let server: Awaited<ReturnType<typeof startServer>>;
  let browser: Browser;
  beforeAll(async () => {
    folder = emptyFolder();
    server = await startServer({ folder, env: { GATEHOUSE_BOOTSTRAP_ADMIN_PASSWORD: undefined, GATEHOUSE_HOST: undefined } });
    for (const name of ["examples", "docs", "node_modules", "server", "web"]) symlinkSync(join(root, name), join(folder, name));
    const ports = new Map([["8080", String(server.port)]]);
    for (const port of ["3000", "5173", "9000"]) ports.set(port, String(await freePort()));
    place = (text) => text.replace(/localhost:(8080|3000|5173|9000)\b/g, (_, port) => `localhost:${ports.get(port)}`);
    mkdirSync(join(folder, "scripts"));
    if (!noBrowser) browser = await sharedBrowser();
  });
  afterAll(() => server?.stop());

  const runsAsPrinted = async (page: string) => {
    const script = join(folder, "scripts", `${page.replaceAll("/", "-")}.sh`);
    writeFileSync(script, scriptOf(page, place));
    const { code, out, err } = await bash(script, { ...process.env, base: place("http://localhost:8080") });
    expect(code, `${page} stopped in the block named last:\n${err.slice(-1500)}\n--- output\n${out.slice(-3000)}`).toBe(0);
  };
  const [first, ...rest] = pages.filter((page) => blocksOf(page).length > 0);

  const signIn = async (page: Page) => {
    await page.getByLabel("Username").fill("ada");
    await page.locator('input[type="password"]').fill("correct horse battery");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Hello Ada Lovelace" }).waitFor();
    expect(await page.textContent("body")).toContain("ada@example.com");
  };

  test(`${first} run as printed`, () => runsAsPrinted(first!));

  test.skipIf(noBrowser)("README.md end with a person who signs in to the sample application", async () => {
    const own = place("http://localhost:3000");
    const app = spawn(process.execPath, ["examples/app.mjs", own, `${place("http://localhost:8080")}/realms/acme`, "app"], { cwd: folder });
    const ada = await personIn(browser);
    try {
      await once(app.stdout, "data");
      const page = await ada.tab();
      await page.goto(own);
      await page.getByRole("link", { name: "Sign in" }).click();
      await signIn(page);
    } finally {
      app.kill();
      await ada.context.close();
    }
  });

  // Once the README has made the realm and the user.
  describe.skipIf(noBrowser)("the quickstarts", () => {
    test.each([
      ["docs/quickstarts/spa.md", "http://localhost:5173", "button"],
      ["docs/quickstarts/express.md", "http://localhost:3000", "link"],
      ["docs/quickstarts/authjs.md", "http://localhost:3000", "button"],
    ] as const)("%s end with a person who signs in to %s, and out again", async (page, own, role) => {
      const script = join(folder, "scripts", `${page.replaceAll("/", "-")}.sh`);
      // The application runs on in the background.
      writeFileSync(script, `${scriptOf(page, place)}wait\n`);
      const shell = begin(script, { ...process.env, base: place("http://localhost:8080") });
      try {
        await Promise.race([shell.says(`Open ${place(own)}`), shell.closed]);
        expect(shell.out(), shell.err()).toContain(`Open ${place(own)}`);
        const ada = await personIn(browser);
        const tab = await ada.tab();
        await tab.goto(place(own));
        await tab.getByRole(role, { name: "Sign in" }).click();
        await signIn(tab);
        await tab.getByRole(role, { name: "Sign out" }).click();
        await tab.getByRole(role, { name: "Sign in" }).waitFor();
        expect(new URL(tab.url()).origin).toBe(place(own));
        await ada.close();
      } finally {
        shell.end();
        await shell.closed;
      }
    });
  });

  test.each(rest)("%s run as printed", runsAsPrinted);
});

async function bash(script: string, env: NodeJS.ProcessEnv) {
  const { closed, out, err } = begin(script, env);
  const code = await closed;
  return { code, out: out(), err: err() };
}

/** A script, in the folder of the server; with everything that it starts, it ends by `end`. */
function begin(script: string, env: NodeJS.ProcessEnv) {
  const child = spawn("bash", [script], { cwd: join(script, "../.."), env, detached: true });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const closed = once(child, "close").then(([code]) => code as number | null);
  return {
    closed,
    out: () => out,
    err: () => err,
    says: (words: string) =>
      new Promise<void>((resolve) => {
        const look = () => out.includes(words) && resolve();
        child.stdout.on("data", look);
        look();
      }),
    end() {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    },
  };
}
