// Sites of Debian's Apache: relying parties that are neither ours nor written in JavaScript.
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { apacheWithOpenidc, freePort } from "../peers/index.mjs";
import { emptyFolder, spawnServer } from "./process.ts";

const inCI = Boolean(process.env.CI) && process.env.CI !== "false";
/** True if Apache with the module is missing. The journey is then skipped, except in CI, where it fails. */
export const noApache = apacheWithOpenidc() === undefined && !inCI;

export interface ApacheSite {
  readonly port: number;
  readonly url: string;
  /** The address to which the provider sends the browser back. It also signs the user out. */
  readonly callback: string;
  start(provider: { readonly issuer: string; readonly clientId: string; readonly secret: string }): Promise<void>;
}

const CLAIMS = ["sub", "preferred_username", "name", "email"];
// Without an icon of its own, the browser would request one and report that there is none.
const HEAD = '<!doctype html><link rel="icon" href="data:,">';
const MODULES = ["mpm_event", "authn_core", "authz_core", "authz_user", "include"];

export interface NewApache {
  readonly program: string;
  readonly modules: string;
  readonly port: number;
  readonly folder: string;
  /** The module that requires a sign-in, and its configuration. */
  readonly module: string;
  readonly lines: readonly string[];
  /** The content of the protected page: an id for each variable of the module. */
  readonly shown: Readonly<Record<string, string>>;
}

export interface RunningApache {
  stop(): Promise<void>;
}

/**
 * Starts a site with a public page at `/index.shtml` and a protected one at `/private/index.shtml`, which the module's configuration has to protect. Resolves
 * when it serves.
 */
export async function startApache({ program, modules, port, folder, module, lines, shown }: NewApache): Promise<RunningApache> {
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "site", "private"), { recursive: true });
  writeFileSync(join(folder, "site", "index.shtml"), `${HEAD}<title>Outside</title><h1>Outside</h1>`);
  const rows = Object.entries(shown).map(([id, variable]) => `<dt>${id}</dt><dd id="${id}"><!--#echo var="${variable}" --></dd>`);
  writeFileSync(join(folder, "site", "private", "index.shtml"), `${HEAD}<title>Inside</title><h1>Inside</h1><dl>${rows.join("")}</dl>`);
  const [conf, log] = [join(folder, "apache.conf"), join(folder, "error.log")];
  const config = [
    `ServerRoot "${folder}"`,
    `DefaultRuntimeDir "${folder}"`,
    `PidFile "${folder}/apache.pid"`,
    `ErrorLog "${log}"`,
    `Mutex "file:${folder}" default`,
    `ServerName localhost:${port}`,
    `Listen 127.0.0.1:${port}`,
    ...MODULES.map((name) => `LoadModule ${name}_module "${modules}/mod_${name}.so"`),
    module,
    // Started as root, it drops its privileges, as it does as a service.
    ...(process.getuid?.() === 0 ? ["User www-data", "Group www-data"] : []),
    `DocumentRoot "${folder}/site"`,
    `<Directory "${folder}/site">`,
    "Options +Includes",
    "ForceType text/html",
    "SetOutputFilter INCLUDES",
    "Require all granted",
    "</Directory>",
    ...lines,
    "",
  ];
  writeFileSync(conf, config.join("\n"));
  // It runs as one process (-X), so nothing is left behind, however the tests end.
  const apache = await spawnServer({ port, folder, command: [program, "-X", "-f", conf] });
  let ending: string | undefined;
  void apache.ended.then(({ code, signal, out, err }) => {
    ending = `Apache ended (${code ?? signal}):\n${err}\n${existsSync(log) ? readFileSync(log, "utf8") : out}`;
  });
  const visitor = apache.visitor();
  while ((await visitor.get("/index.shtml").catch(() => undefined))?.status !== 200) {
    if (ending !== undefined) throw new Error(ending);
    await sleep(25);
  }
  return { stop: async () => void (await apache.stop()) };
}

/** Starts a site behind mod_auth_openidc. The client has to be registered after its address is known and before it starts. */
export async function apacheSite(): Promise<ApacheSite> {
  const found = apacheWithOpenidc();
  if (!found) throw new Error("mod_auth_openidc is not installed. On Debian or Ubuntu: sudo apt-get install libapache2-mod-auth-openidc");
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const callback = `${url}/private/callback`;
  return {
    port,
    url,
    callback,
    async start({ issuer, clientId, secret }) {
      await startApache({
        ...found,
        port,
        folder: emptyFolder(),
        module: `LoadModule auth_openidc_module "${found.modules}/mod_auth_openidc.so"`,
        shown: Object.fromEntries(CLAIMS.map((claim) => [claim, `OIDC_CLAIM_${claim}`])),
        lines: [
          `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
          `OIDCClientID ${clientId}`,
          `OIDCClientSecret ${secret}`,
          `OIDCRedirectURI ${callback}`,
          `OIDCCryptoPassphrase ${randomBytes(16).toString("hex")}`,
          // OIDCPKCEMethod is left out: Debian 12's version then uses no PKCE, for which the setting has no value.
          'OIDCScope "openid profile email"',
          "OIDCPassClaimsAs environment",
          "<Location /private>",
          "AuthType openid-connect",
          "Require valid-user",
          "</Location>",
        ],
      });
    },
  };
}
