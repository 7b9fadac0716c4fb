// pysaml2 as a service provider. It has no pages of its own: a small site of ours hands it what browsers bring.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { makeIdentity } from "../../../src/testing/saml-peers.ts";
import { pysaml2Python, xmlsecPath } from "../../peers/index.mjs";
import { emptyFolder } from "../process.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any;

export interface Pysaml2 {
  call(method: string, args?: Readonly<Record<string, unknown>>): Promise<Json>;
  refresh(): Promise<void>;
  stop(): void;
}

/** `url` is where its endpoints are said to be. */
export async function startPysaml2(url: string, issuer: string): Promise<Pysaml2> {
  const [python, xmlsec] = [pysaml2Python(), xmlsecPath()];
  if (!python || !xmlsec) throw new Error("pysaml2 is not installed. On Debian or Ubuntu: sudo apt-get install python3-pysaml2 xmlsec1");
  const folder = emptyFolder();
  const at = (name: string) => join(folder, name);
  const { privateKey, pem } = await makeIdentity();
  writeFileSync(at("key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(at("certificate.pem"), pem);
  const fetchMetadata = async () => writeFileSync(at("idp.xml"), await (await fetch(`${issuer}/saml/idp/metadata`)).text());
  await fetchMetadata();
  const script = fileURLToPath(new URL("pysaml2.py", import.meta.url));
  // It ends when the other end of stdin closes, however we end.
  const child = spawn(python, [script, url, at("key.pem"), at("certificate.pem"), xmlsec, at("idp.xml")], { cwd: folder });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    complaints = (complaints + text).slice(-4_000);
  });
  const waiting: ((line: string | null) => void)[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => waiting.shift()?.(line));
  lines.on("close", () => {
    for (const resolve of waiting.splice(0)) resolve(null);
  });
  const answer = async (): Promise<Json> => {
    const line = await new Promise<string | null>((resolve) => waiting.push(resolve));
    if (line === null) throw new Error(`pysaml2 ended:\n${complaints}`);
    const { result, error } = JSON.parse(line);
    if (error !== undefined) throw new Error(`pysaml2 refused: ${error}\n${complaints}`);
    return result;
  };
  await answer();
  const call = (method: string, args: Readonly<Record<string, unknown>> = {}) => {
    child.stdin.write(`${JSON.stringify({ method, arguments: args })}\n`);
    return answer();
  };
  return {
    call,
    async refresh() {
      await fetchMetadata();
      await call("load");
    },
    stop: () => child.stdin.end(),
  };
}
