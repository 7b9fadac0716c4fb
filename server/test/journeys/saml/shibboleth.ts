// A site behind Shibboleth SP: mod_shib in Apache, and its daemon.
import { chmodSync, copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeIdentity } from "../../../src/testing/saml-peers.ts";
import { apacheWithShibboleth, freePort } from "../../peers/index.mjs";
import { startApache } from "../apache.ts";
import { emptyFolder, spawnServer } from "../process.ts";
import { Visitor } from "../visitor.ts";
import { type Peer, userOnList } from "./peer.ts";
import { issuerOnThePage, recipe, siteOnThePage } from "./recipes.ts";

const SHIPPED = ["attribute-policy.xml", "security-policy.xml", "protocols.xml", "bindingTemplate.html", "postTemplate.html"];
const PAGES = ["sessionError", "metadataError", "sslError", "localLogout", "globalLogout", "partialLogout", "attrChecker"];
const POST = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST";

export async function startShibboleth(issuer: string): Promise<Peer> {
  const found = apacheWithShibboleth();
  if (!found) throw new Error("Shibboleth SP is not installed. On Debian or Ubuntu: sudo apt-get install libapache2-mod-shib");
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const folder = emptyFolder();
  chmodSync(folder, 0o755);
  const at = (name: string) => join(folder, name);
  for (const name of [...SHIPPED, ...PAGES.map((page) => `${page}.html`)]) copyFileSync(`/etc/shibboleth/${name}`, at(name));

  const { privateKey, pem } = await makeIdentity();
  writeFileSync(at("sp-key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(at("sp-cert.pem"), pem);
  for (const [name, file] of [
    ["shibd", "shibd.log"],
    ["native", "native.log"],
  ] as const)
    writeFileSync(
      at(`${name}.logger`),
      [
        "log4j.rootCategory=INFO, log",
        "log4j.appender.log=org.apache.log4j.FileAppender",
        `log4j.appender.log.fileName=${at(file)}`,
        "log4j.appender.log.layout=org.apache.log4j.PatternLayout",
        "log4j.appender.log.layout.ConversionPattern=%p %c: %m%n",
        "",
      ].join("\n"),
    );
  writeFileSync(at("native.log"), "");
  chmodSync(at("native.log"), 0o666);

  const config = recipe("shibboleth2.xml", {
    [issuerOnThePage]: issuer,
    [siteOnThePage]: url,
    'handlerSSL="true" cookieProps="https"': 'handlerSSL="false" cookieProps="http"',
    'minRefreshDelay="300" maxRefreshDelay="3600"': 'minRefreshDelay="1" maxRefreshDelay="1"',
    "<OutOfProcess ": `<OutOfProcess logger="${at("shibd.logger")}" `,
    "<ApplicationDefaults ": `<InProcess logger="${at("native.logger")}"/><UnixListener address="${at("shibd.sock")}"/><ApplicationDefaults requireConfidentiality="false" `,
    // This adds another way to begin, which sends the request by POST.
    "</Logout>": `</Logout><SessionInitiator type="SAML2" Location="/LoginByPost" entityID="${issuer}" outgoingBindings="${POST}"/>`,
  });
  // The page names files in /etc/shibboleth, which are in our folder here.
  writeFileSync(
    at("shibboleth2.xml"),
    config.replaceAll(/(path|key|certificate|backingFilePath)="([\w-]+\.(?:xml|pem))"/g, `$1="${folder}/$2"`),
  );
  writeFileSync(at("attribute-map.xml"), recipe("attribute-map.xml", {}));

  const daemon = await spawnServer({
    port,
    folder,
    command: [found.shibd, "-F", "-f", "-c", at("shibboleth2.xml"), "-p", at("shibd.pid")],
  });
  let ending: string | undefined;
  void daemon.ended.then(({ code, signal, out, err }) => {
    ending = `shibd ended (${code ?? signal}):\n${err}\n${out}\n${existsSync(at("shibd.log")) ? readFileSync(at("shibd.log"), "utf8") : ""}`;
  });
  while (!existsSync(at("shibd.sock"))) {
    if (ending !== undefined) throw new Error(ending);
    await sleep(25);
  }
  await startApache({
    ...found,
    port,
    folder,
    module: `LoadModule mod_shib "${found.modules}/mod_shib.so"`,
    lines: [`ShibConfig "${at("shibboleth2.xml")}"`, recipe("shibboleth.conf", {})],
    shown: {
      user: "REMOTE_USER",
      mail: "mail",
      name: "givenName",
      surname: "sn",
      session: "Shib-Session-Index",
      idp: "Shib-Identity-Provider",
    },
  });
  const log = () => readFileSync(at("shibd.log"), "utf8");
  const inside = `${url}/private/index.shtml`;
  const login = (path: string, more: Record<string, string> = {}) =>
    `${url}/Shibboleth.sso/${path}?${new URLSearchParams({ target: inside, ...more })}`;
  const metadata = (await new Visitor(url).get("/Shibboleth.sso/Metadata")).text;
  const entityId = `${url}/shibboleth`;
  const [, artifactIndex = ""] = /HTTP-Artifact" Location="[^"]*SAML2\/Artifact" index="(\d+)"/.exec(metadata) ?? [];
  return {
    name: "Shibboleth SP",
    entityId,
    metadata,
    inside,
    insideByPost: login("LoginByPost"),
    byArtifact: { inside: login("Login", { acsIndex: artifactIndex }), entityId, metadata },
    takesUnsolicited: true,
    logout: `${url}/Shibboleth.sso/Logout?${new URLSearchParams({ return: `${url}/index.shtml` })}`,
    userOn: userOnList,
    // It reads them by itself each second, so this waits until it has.
    async refresh() {
      const loads = () => log().split("loaded XML resource").length;
      const before = loads();
      while (loads() < before + 2) await sleep(100);
    },
    log,
  };
}
