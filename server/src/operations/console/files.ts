import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { packageFile } from "../../kernel/package.ts";

export interface ConsoleFile {
  readonly type: string;
  readonly body: Buffer;
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  woff2: "font/woff2",
  svg: "image/svg+xml",
};

const folder = () => packageFile("dist/console/");

/** The files of the built console, read when they are first needed. A build that replaces them while the server runs counts at once. */
export function createConsoleFiles() {
  let page: { readonly text: string; readonly names: ReadonlySet<string> } | null = null;
  let stamp = "";
  const files = new Map<string, Promise<ConsoleFile>>();

  /** Returns null if the console is not built. */
  async function load() {
    const built = new URL(".built-from", folder());
    if (!existsSync(built)) return null;
    const current = await readFile(built, "utf8");
    if (page === null || current !== stamp) {
      const names = await readdir(new URL("assets/", folder()));
      page = { text: await readFile(new URL("index.html", folder()), "utf8"), names: new Set(names) };
      stamp = current;
      files.clear();
    }
    return page;
  }

  return {
    /** Returns the page with the nonce of this response, or null if the console is not built. */
    async page(nonce: string): Promise<string | null> {
      return (await load())?.text.replaceAll("__CSP_NONCE__", nonce) ?? null;
    },
    /** Returns an asset by a name that the build made, or null for any other name. */
    async asset(name: string): Promise<ConsoleFile | null> {
      const type = TYPES[name.split(".").at(-1) ?? ""];
      if (type === undefined || !(await load())?.names.has(name)) return null;
      const known = files.get(name) ?? read(name, type);
      files.set(name, known);
      return known;
    },
  };
}

async function read(name: string, type: string): Promise<ConsoleFile> {
  const file = (suffix: string) => readFile(new URL(`assets/${name}${suffix}`, folder()));
  const compressed = (suffix: string) => file(suffix).catch(() => null);
  const [body, br, gzip] = await Promise.all([file(""), compressed(".br"), compressed(".gz")]);
  return { type, body, br, gzip };
}
