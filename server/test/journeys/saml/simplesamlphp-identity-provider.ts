// SimpleSAMLphp as an identity provider, configured as docs/identity-providers.md says.
import { recipe } from "./recipes.ts";
import { installSimpleSamlPhp } from "./simplesamlphp-server.ts";

const PAGE = "identity-providers.md";
const SITE = "https://idp.example.com";

export interface IdentityProviderPeer {
  readonly entityId: string;
  /** Returns the address that starts a sign-in there, for a service provider. */
  start(entityId: string, relayState: string): string;
  /** The address that ends the session there and everywhere, and then shows its own page. */
  readonly logout: string;
  /** Reads the service provider's metadata again. */
  refresh(): Promise<void>;
  /** Sets the options that the page adds to `saml20-idp-hosted.php`. The next call replaces them. */
  set(options: Readonly<Record<string, boolean>>): void;
  log(): string;
}

/** Starts it. `register` makes the record from the address of the metadata, and returns the address of ours. */
export async function startIdentityProvider(register: (metadataUrl: string) => Promise<string>): Promise<IdentityProviderPeer> {
  const here = await installSimpleSamlPhp();
  const { url, folder } = here;
  const idp = `${url}/simplesaml/saml2/idp`;
  const entityId = `${idp}/metadata.php`;
  const ours = await register(entityId);
  const refresh = async () => {
    const answer = await fetch(ours);
    if (!answer.ok) throw new Error(`${ours}: ${answer.status} ${await answer.text()}`);
    here.write("metadata", "acme.xml", await answer.text());
  };
  await Promise.all([refresh(), here.writeKey("idp")]);
  here.write("config", "authsources.php", recipe("authsources.php", {}, PAGE));
  const hosted = recipe("saml20-idp-hosted.php", { [SITE]: url }, PAGE);
  const set: IdentityProviderPeer["set"] = (options) => {
    const lines = Object.entries(options).map(([name, value]) => `$metadata['${entityId}']['${name}'] = ${value};\n`);
    here.write("metadata", "saml20-idp-hosted.php", `${hosted}${lines.join("")}`);
  };
  set({});
  const places = { [SITE]: url, "/etc/simplesamlphp/": `${folder}/`, "/var/lib/simplesamlphp/": `${folder}/data/` };
  const php = await here.start(recipe("config.php", places, PAGE));
  return {
    ...{ entityId, refresh, set },
    start: (spentityid, RelayState) => `${idp}/SSOService.php?${new URLSearchParams({ spentityid, RelayState })}`,
    logout: `${idp}/SingleLogoutService.php?${new URLSearchParams({ ReturnTo: `${url}/` })}`,
    log: () => php.err(),
  };
}
