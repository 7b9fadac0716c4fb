// A site with pysaml2, in a Python process.
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { makeIdentity } from "../../../src/testing/saml-peers.ts";
import { pysaml2Python, xmlsecPath } from "../../peers/index.mjs";
import { emptyFolder } from "../process.ts";
import { librarySite, type Outgoing } from "./library-site.ts";
import { type Peer, userOnList } from "./peer.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any;

interface Process {
  call(method: string, args?: Readonly<Record<string, unknown>>): Promise<Json>;
  refresh(): Promise<void>;
}

/** Starts the process. `url` is the address of its endpoints. */
async function startProcess(url: string, issuer: string): Promise<Process> {
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
  // It ends when the other end of stdin closes, however this process ends.
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
  };
}

export async function startPysaml2(issuer: string): Promise<Peer> {
  let python!: Process;
  const site = await librarySite(async (url) => {
    python = await startProcess(url, issuer);
    const { call } = python;
    return {
      login: async (binding) => outgoing(await call("login", { issuer, binding })),
      async accept({ SAMLResponse: response }) {
        const { nameId, attributes } = await call("acs", { response });
        return { nameId, user: attributes.username[0], mail: attributes.email[0] };
      },
      logout: async ({ nameId }) => outgoing(await call("logout", { issuer, binding: "redirect", nameId })),
      async loggedOut({ SAMLResponse: response }) {
        const { ok } = await call("logged_out", { response, binding: "redirect" });
        if (!ok) throw new Error("not signed out");
      },
      async askedToLogOut({ SAMLRequest: request, RelayState: relayState = "" }) {
        const { nameId, ...answer } = await call("asked_to_log_out", { request, binding: "redirect", relayState });
        return { nameId, answer: outgoing(answer) };
      },
    };
  });
  return {
    name: "pysaml2",
    entityId: `${site.url}/pysaml2`,
    metadata: await python.call("metadata"),
    inside: `${site.url}/inside`,
    insideByPost: `${site.url}/inside-by-post`,
    takesUnsolicited: true,
    logout: `${site.url}/logout`,
    userOn: userOnList,
    refresh: python.refresh,
    log: site.log,
  };
}

const outgoing = ({ location, page }: { location: string | null; page: string }): Outgoing => (location ? { location } : { page });
