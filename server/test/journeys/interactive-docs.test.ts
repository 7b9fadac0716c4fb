import type { Browser, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { expectAccessible, noBrowser, personIn, sharedBrowser, takePicture } from "./browser.ts";
import { PASSWORD, type ServerProcess, sharedServer } from "./process.ts";

const DOCS = "/interactive-docs.html";

describe.skipIf(noBrowser)("the interactive API page (needs Chromium)", () => {
  let server: ServerProcess;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    [server, browser] = await Promise.all([sharedServer(), sharedBrowser()]);
    url = `http://localhost:${server.port}`;
  });

  /** Opens one operation, runs it, and answers the status that the page shows. */
  async function execute(page: Page, method: string, path: string, body?: unknown): Promise<string> {
    const operation = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${path}"]`) });
    await operation.locator(".opblock-summary-control").click();
    if (body !== undefined) await operation.locator("textarea.body-param__text").fill(JSON.stringify(body));
    await operation.locator("button.execute").click();
    return (await operation.locator(".live-responses-table tbody .response-col_status").first().textContent()) ?? "";
  }

  test("reads and writes with the session of the browser, within its content security policy", async () => {
    const ada = await personIn(browser, { viewport: { width: 1200, height: 900 } });
    const page = await ada.tab();
    await page.goto(`${url}/realms/master/login?return_to=${DOCS}`);
    await page.locator("#username").fill("admin");
    await page.locator("#password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    // The list is there at once; what is chosen is loaded.
    await page.getByRole("heading", { name: "What would you like to do?" }).waitFor();
    expect(new URL(page.url()).pathname).toBe(DOCS);
    await expectAccessible(page, "interactive-docs-parts");
    await page.getByRole("link", { name: "Users", exact: true }).click();
    await page.locator('.opblock-tag[data-tag="Users"]').waitFor();
    // Swagger UI's colours and markup are its own; what is around it is ours.
    await expectAccessible(page, "interactive-docs", [".swagger-ui"]);

    const path = "/admin/realms/{realm}/users";
    expect(await execute(page, "get", path)).toMatch(/^200/);
    expect(await execute(page, "post", path, { username: "from-the-page" })).toMatch(/^201/);
    await takePicture(page, "interactive-docs-executed");
    const admin = await server.admin();
    expect((await admin.get("/admin/realms/master/users?search=from-the-page")).body).toMatchObject([{ username: "from-the-page" }]);
    await ada.close();
  });
});
