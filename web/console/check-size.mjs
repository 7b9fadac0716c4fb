// Fails when the console gets too large: the shell (all that the page loads before it shows anything) and each further chunk, compressed by
// gzip. Builds the console if it is not built.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { buildConsole, isBuilt, target } from "./build.mjs";

const SHELL = 220_000;
const CHUNK = 80_000;

if (!isBuilt()) await buildConsole();
const assets = join(target, "assets");
/** @param {string} name */
const sizeOf = (name) => statSync(join(assets, `${name}.gz`)).size;
/** Returns the files that a file imports by a statement, which are loaded at once. @param {string} name */
const importsOf = (name) =>
  [...readFileSync(join(assets, name), "utf8").matchAll(/(?:^|;|\})import\s*(?:[^"'()]*?from\s*)?["']\.\/([^"']+\.js)["']/g)].map(
    ([, file]) => file ?? "",
  );

const page = readFileSync(join(target, "index.html"), "utf8");
const shell = new Set([...page.matchAll(/(?:src|href)="\/console\/assets\/([^"]+\.js)"/g)].map(([, name]) => name ?? ""));
for (const name of shell) for (const imported of importsOf(name)) shell.add(imported);

const total = [...shell].reduce((sum, name) => sum + sizeOf(name), 0);
const others = readdirSync(assets).filter((name) => name.endsWith(".js") && !shell.has(name));
const large = others.filter((name) => sizeOf(name) > CHUNK);
const largest = Math.max(...others.map(sizeOf));
for (const name of large) console.error(`${name}: ${sizeOf(name)} bytes compressed, more than ${CHUNK}`);
if (total > SHELL) console.error(`The shell: ${total} bytes compressed, more than ${SHELL}: ${[...shell].join(", ")}`);
console.log(
  `Console: shell ${Math.round(total / 1000)} kB in ${shell.size} files, largest of ${others.length} chunks ${Math.round(largest / 1000)} kB.`,
);
process.exitCode = large.length > 0 || total > SHELL ? 1 : 0;
