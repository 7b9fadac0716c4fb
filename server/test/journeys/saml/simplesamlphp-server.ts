// SimpleSAMLphp on PHP's own server: the common part of its two roles.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeIdentity } from "../../../src/testing/saml-peers.ts";
import { freePort, simpleSamlPhp } from "../../peers/index.mjs";
import { emptyFolder, type ServerProcess, spawnServer } from "../process.ts";

/** PHP's own server supports neither aliases nor PATH_INFO after a script. */
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

/** A folder for its files, and its future address. */
export interface Installation {
  readonly url: string;
  readonly folder: string;
  write(folder: "config" | "cert" | "metadata", file: string, text: string): void;
  /** Writes a key and its certificate into `cert`. */
  writeKey(name: string): Promise<void>;
  /** Starts it with these lines added to the configuration that is shipped. */
  start(config: string): Promise<ServerProcess>;
}

/** Installs it on 127.0.0.1, which for a browser is another site than `localhost`, where Gatehouse is. */
export async function installSimpleSamlPhp(): Promise<Installation> {
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
  const shipped = `$config = ['secretsalt' => 'a salt for tests', 'auth.adminpassword' => 'of nobody', 'technicalcontact_email' => 'na@example.org',
    'timezone' => 'UTC', 'loggingdir' => '${folder}/data/', 'datadir' => '${folder}/data/', 'tempdir' => '${folder}/tmp', 'metadatadir' => '${folder}/metadata/',
    'logging.handler' => 'errorlog', 'logging.level' => SimpleSAML\\Logger::NOTICE, 'module.enable' => ['core' => true, 'saml' => true, 'exampleauth' => false],
    'showerrors' => true, 'debug' => ['saml' => false, 'backtraces' => true, 'validatexml' => false], 'admin.checkforupdates' => false,
    'session.cookie.secure' => false, 'session.cookie.samesite' => null, 'language.cookie.secure' => false, 'language.cookie.samesite' => null];\n`;
  const write: Installation["write"] = (name, file, text) => writeFileSync(at(name, file), text);
  return {
    ...{ url, folder, write },
    async writeKey(name) {
      const { privateKey, pem } = await makeIdentity();
      write("cert", `${name}.key`, String(privateKey.export({ type: "pkcs8", format: "pem" })));
      write("cert", `${name}.crt`, pem);
    },
    async start(config) {
      write("config", "config.php", `<?php\n${shipped}${config}`);
      writeFileSync(at("router.php"), ROUTER(found.folder));
      // The files are read again as soon as a test has written them.
      const options = ["-d", `sys_temp_dir=${at("tmp")}`, "-d", "opcache.revalidate_freq=0"];
      const command: [string, ...string[]] = [found.php, ...options, "-S", `127.0.0.1:${port}`, at("router.php")];
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
      return php;
    },
  };
}
