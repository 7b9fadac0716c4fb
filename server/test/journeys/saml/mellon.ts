// A site behind mod_auth_mellon. It reads only files: the realm's metadata is fetched for it, and it must be restarted to read new metadata.
import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apacheWithMellon, freePort } from "../../peers/index.mjs";
import { type RunningApache, startApache } from "../apache.ts";
import { emptyFolder } from "../process.ts";
import { type Peer, userOnList } from "./peer.ts";
import { recipe, siteOnThePage } from "./recipes.ts";

/** Returns the name that mellon_create_metadata gives to its files. */
const fileOf = (entityId: string): string => entityId.replaceAll(/[^0-9A-Za-z.]+/g, "_");

export async function startMellon(issuer: string): Promise<Peer> {
  const found = apacheWithMellon();
  if (!found) throw new Error("mod_auth_mellon is not installed. On Debian or Ubuntu: sudo apt-get install libapache2-mod-auth-mellon");
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const folder = emptyFolder();
  const entityId = `${url}/mellon`;
  execFileSync(found.createMetadata, [entityId, entityId], { cwd: folder, stdio: "ignore" });
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
  const lines = recipe("mellon.conf", {
    [fileOf(`${siteOnThePage}/mellon`)]: fileOf(entityId),
    "/etc/apache2/mellon": folder,
    "MellonSecureCookie On": "MellonSecureCookie Off",
    "MellonCookieSameSite none": "MellonCookieSameSite lax",
  });

  let running: RunningApache | undefined;
  const refresh = async () => {
    await running?.stop();
    writeFileSync(join(folder, "acme.xml"), await (await fetch(`${issuer}/saml/idp/metadata`)).text());
    running = await startApache({
      ...found,
      port,
      folder,
      module: `LoadModule auth_mellon_module "${found.modules}/mod_auth_mellon.so"`,
      lines: [`MellonLockFile "${folder}/mellon.lock"`, lines],
      shown: { user: "REMOTE_USER", mail: "MAIL" },
    });
  };
  await refresh();
  const inside = `${url}/private/index.shtml`;
  return {
    name: "mod_auth_mellon",
    entityId,
    metadata: readFileSync(join(folder, `${fileOf(entityId)}.xml`), "utf8"),
    inside,
    takesUnsolicited: true,
    logout: `${entityId}/logout?${new URLSearchParams({ ReturnTo: `${url}/index.shtml` })}`,
    userOn: userOnList,
    refresh,
    log: () => readFileSync(join(folder, "error.log"), "utf8"),
  };
}
