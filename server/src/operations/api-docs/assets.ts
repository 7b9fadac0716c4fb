import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { stylesheet } from "./stylesheet.ts";

export const ASSETS = "/assets/api-docs";

export interface Asset {
  /** The address changes with the content, so the browser may keep it for good. */
  readonly href: string;
  readonly type: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
}

export type AssetName = "swagger-ui-bundle.js" | "swagger-ui.css" | "page.js" | "page.css";
export type Assets = Readonly<Record<AssetName, Asset>>;

/** Reads a file of Swagger UI. The build puts it beside the bundle, so that the package need not be installed; without a build, the package has it. */
async function swaggerUi(file: string): Promise<Buffer> {
  const beside = new URL(`./${file}`, import.meta.url);
  if (existsSync(beside)) return readFile(beside);
  return readFile(join(dirname(createRequire(import.meta.url).resolve("@fastify/swagger-ui")), "static", file));
}

const sources: Record<AssetName, () => Promise<Buffer>> = {
  "swagger-ui-bundle.js": () => swaggerUi("swagger-ui-bundle.js"),
  "swagger-ui.css": () => swaggerUi("swagger-ui.css"),
  // The build puts it beside the bundle.
  "page.js": () => readFile(new URL("./page-script.js", import.meta.url)),
  "page.css": async () => Buffer.from(stylesheet),
};

const compress = promisify(gzip);
let loading: Promise<Assets> | undefined;

/** Reads the assets at the first visit: they are two megabytes, and most servers never show the page. */
export function loadAssets(): Promise<Assets> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Assets> {
  const loaded = await Promise.all(
    Object.entries(sources).map(async ([name, read]): Promise<[string, Asset]> => {
      const body = await read();
      const digest = createHash("sha256").update(body).digest("base64url").slice(0, 16);
      const type = name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
      return [name, { href: `${ASSETS}/${digest}/${name}`, type, body, gzipped: await compress(body) }];
    }),
  );
  return Object.fromEntries(loaded) as Assets;
}
