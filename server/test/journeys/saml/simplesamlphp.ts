// SimpleSAMLphp as a service provider.
import type { Peer } from "./peer.ts";
import { issuerOnThePage, recipe, siteOnThePage } from "./recipes.ts";
import { installSimpleSamlPhp } from "./simplesamlphp-server.ts";
import type { Page } from "./web-browser.ts";

export async function startSimpleSamlPhp(issuer: string): Promise<Peer> {
  const here = await installSimpleSamlPhp();
  const { url, folder } = here;
  await here.writeKey("sp");
  const refresh = async () => here.write("metadata", "acme.xml", await (await fetch(`${issuer}/saml/idp/metadata`)).text());
  await refresh();

  // This adds a source that differs by the lines that the page adds.
  const sources = recipe("authsources.php", { [issuerOnThePage]: issuer, [siteOnThePage]: url });
  const artifact =
    "['ProtocolBinding' => 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact', 'entityID' => $config['default-sp']['entityID'] . '/artifact']";
  here.write("config", "authsources.php", `${sources}$config['artifact-sp'] = ${artifact} + $config['default-sp'];\n`);
  const php = await here.start(
    recipe("config.php", { [siteOnThePage]: url, "/etc/simplesamlphp/": `${folder}/`, "/var/lib/simplesamlphp/": `${folder}/data/` }),
  );
  const visitor = php.visitor();
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
