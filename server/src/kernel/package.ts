import { existsSync, readFileSync } from "node:fs";

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** Returns the URL of a file of the package. This code runs from its sources or, bundled, from its build, which lie at different depths. */
export const packageFile = (path: string): URL => new URL(path, root());

export const manifest = (): Manifest => JSON.parse(readFileSync(packageFile("package.json"), "utf8"));

function root(): URL {
  for (let folder = new URL(".", import.meta.url); ; folder = new URL("..", folder)) {
    if (existsSync(new URL("package.json", folder))) return folder;
    if (folder.pathname === "/") throw new Error("The package of this program is not whole: its package.json is missing");
  }
}
