// SimpleSAMLphp as a service provider, served by PHP itself.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeIdentity } from "../../../src/testing/saml-peers.ts";
import { freePort, simpleSamlPhp } from "../../peers/index.mjs";
import { emptyFolder, spawnServer } from "../process.ts";
import type { Peer } from "./peer.ts";
import { issuerOnThePage, recipe, siteOnThePage } from "./recipes.ts";
import type { Page } from "./web-browser.ts";

/** PHP's own server has neither aliases nor PATH_INFO behind a script. */
const ROUTER = (folder: string) => `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path === '/favicon.ico') { http_response_code(204); return true; }
if (strpos($path, '/simplesaml/') !== 0) { echo '<!doctype html><title>Outside</title><h1>Outside</h1>'; return true; }
$path = substr($path, strlen('/simplesaml'));
if (preg_match('#^(/[\\w/-]+\\.php)(/.*)?$#', $path, $found) && is_file('${folder}/www' . $found[1])) {
    $_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/simplesaml' . $found[1];
    $_SERVER['SCRIPT_FILENAME'] = '${folder}/www' . $found[1];
    $_SERVER['PATH_INFO'] = $found[2] ?? '';
    chdir(dirname($_SERVER['SCRIPT_FILENAME']));
    require $_SERVER['SCRIPT_FILENAME'];
    return true;
}
$file = '${folder}/www' . $path;
if (strpos($path, '..') === false && is_file($file)) {
    header('content-type: ' . (substr($file, -4) === '.css' ? 'text/css' : (substr($file, -3) === '.js' ? 'text/javascript' : mime_content_type($file))));
    readfile($file);
    return true;
}
http_response_code(404);
return true;
`;

/** On 127.0.0.1, so that to a browser it is another site than `localhost`, where the identity provider is. */
export async function startSimpleSamlPhp(issuer: string): Promise<Peer> {
  const found = simpleSamlPhp();
  if (!found)
    throw new Error(
      "SimpleSAMLphp is not installed. On Debian or Ubuntu: sudo apt-get install simplesamlphp php-cli php-xml php-sqlite3 php-soap",
    );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const folder = emptyFolder();
  const at = (...names: string[]) => join(folder, ...names);
  for (const name of ["config", "cert", "metadata", "data", "tmp"]) mkdirSync(at(name));
  const { privateKey, pem } = await makeIdentity();
  writeFileSync(at("cert", "sp.key"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(at("cert", "sp.crt"), pem);
  const refresh = async () => writeFileSync(at("metadata", "acme.xml"), await (await fetch(`${issuer}/saml/idp/metadata`)).text());
  await refresh();

  // Two more sources, which differ by what the page says to add.
  const sources = recipe("authsources.php", { [issuerOnThePage]: issuer, [siteOnThePage]: url });
  const artifact =
    "['ProtocolBinding' => 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact', 'entityID' => $config['default-sp']['entityID'] . '/artifact']";
  writeFileSync(at("config", "authsources.php"), `${sources}$config['artifact-sp'] = ${artifact} + $config['default-sp'];\n`);
  const own = recipe("config.php", {
    [siteOnThePage]: url,
    "/etc/simplesamlphp/": `${folder}/`,
    "/var/lib/simplesamlphp/": `${folder}/data/`,
  });
  const shipped = `$config = ['secretsalt' => 'a salt for tests', 'auth.adminpassword' => 'of nobody', 'technicalcontact_email' => 'na@example.org',
    'timezone' => 'UTC', 'loggingdir' => '${folder}/data/', 'datadir' => '${folder}/data/', 'tempdir' => '${folder}/tmp', 'metadatadir' => '${folder}/metadata/',
    'logging.handler' => 'errorlog', 'logging.level' => SimpleSAML\\Logger::NOTICE, 'module.enable' => ['core' => true, 'saml' => true, 'exampleauth' => false],
    'showerrors' => true, 'debug' => ['saml' => false, 'backtraces' => true, 'validatexml' => false], 'admin.checkforupdates' => false,
    'session.cookie.secure' => false, 'session.cookie.samesite' => null, 'language.cookie.secure' => false, 'language.cookie.samesite' => null];\n`;
  writeFileSync(at("config", "config.php"), `<?php\n${shipped}${own}`);
  writeFileSync(at("router.php"), ROUTER(found.folder));

  const command: [string, ...string[]] = [found.php, "-d", `sys_temp_dir=${at("tmp")}`, "-S", `127.0.0.1:${port}`, at("router.php")];
  const php = await spawnServer({ port, folder, command, env: { SIMPLESAMLPHP_CONFIG_DIR: at("config") } });
  let ending: string | undefined;
  void php.ended.then(({ code, signal, err }) => {
    ending = `PHP ended (${code ?? signal}):\n${err}`;
  });
  const visitor = php.visitor();
  while ((await visitor.get("/").catch(() => undefined))?.status !== 200) {
    if (ending !== undefined) throw new Error(ending);
    await sleep(25);
  }
  const metadata = async (source: string) => {
    const answer = await visitor.get(`/simplesaml/module.php/saml/sp/metadata.php/${source}`);
    if (answer.status !== 200) throw new Error(`SimpleSAMLphp made no metadata: ${answer.text}\n${php.err()}`);
    return answer.text;
  };
  const core = `${url}/simplesaml/module.php/core`;
  const inside = (source: string) => `${core}/authenticate.php?as=${source}`;
  const entityId = `${url}/simplesamlphp`;
  return {
    name: "SimpleSAMLphp",
    entityId,
    metadata: await metadata("default-sp"),
    inside: inside("default-sp"),
    byArtifact: { inside: inside("artifact-sp"), entityId: `${entityId}/artifact`, metadata: await metadata("artifact-sp") },
    takesUnsolicited: true,
    logout: `${core}/authenticate.php?as=default-sp&logout`,
    userOn: userOnAttributes,
    refresh,
    log: () => php.err(),
  };
}

/** Its page shows each attribute as a row of a table. */
const userOnAttributes = ({ text }: Page) => {
  const attribute = (name: string) => new RegExp(`>\\s*${name}\\s*<[\\s\\S]*?attrvalue">([^<]*)<`).exec(text)?.[1]?.trim() ?? "";
  return text.includes("attrvalue") ? { user: attribute("username"), mail: attribute("email") } : null;
};
