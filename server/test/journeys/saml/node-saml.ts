// @node-saml/node-saml, as docs/saml-recipes.md sets it up.
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Profile, SAML } from "@node-saml/node-saml";
import { makeIdentity } from "../../../src/testing/saml-peers.ts";
import { emptyFolder, serverFolder } from "../process.ts";
import { librarySite } from "./library-site.ts";
import { type Peer, userOnList } from "./peer.ts";
import { issuerOnThePage, recipe, siteOnThePage } from "./recipes.ts";

interface Recipe {
  createSaml(key: string): Promise<SAML>;
}

export async function startNodeSaml(issuer: string): Promise<Peer> {
  const { privateKey, pem } = await makeIdentity();
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  let saml!: SAML;
  let refresh = async () => {};
  const site = await librarySite(async (url) => {
    const folder = emptyFolder();
    symlinkSync(join(serverFolder, "..", "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "node-saml.mjs"), recipe("node-saml.mjs", { [issuerOnThePage]: issuer, [siteOnThePage]: url }));
    const { createSaml } = (await import(/* @vite-ignore */ pathToFileURL(join(folder, "node-saml.mjs")).href)) as Recipe;
    refresh = async () => {
      saml = await createSaml(key);
    };
    await refresh();
    return {
      async login(binding) {
        if (binding === "redirect") return { location: await saml.getAuthorizeUrlAsync("/inside", undefined, {}) };
        // Unless this is set, it also deflates requests over POST: see the page.
        saml.options.skipRequestCompression = true;
        const page = await saml.getAuthorizeFormAsync("/inside");
        saml.options.skipRequestCompression = false;
        return { page };
      },
      async accept(posted) {
        const { profile } = await saml.validatePostResponseAsync({ ...posted });
        if (!profile) throw new Error("no profile");
        return { nameId: profile.nameID, user: String(profile.username), mail: String(profile.email), session: profile };
      },
      logout: async ({ session }) => ({ location: await saml.getLogoutUrlAsync(session as Profile, "", {}) }),
      // Its metadata asks for POST. A signature beside the message belongs to Redirect.
      async loggedOut(message, query) {
        const byQuery = "Signature" in message;
        const { loggedOut } = await (byQuery
          ? saml.validateRedirectAsync({ ...message }, query)
          : saml.validatePostResponseAsync({ ...message }));
        if (!loggedOut) throw new Error("not signed out");
      },
      async askedToLogOut(message, query) {
        const byQuery = "Signature" in message;
        const requested = byQuery ? saml.validateRedirectAsync({ ...message }, query) : saml.validatePostRequestAsync({ ...message });
        const { profile, loggedOut } = await requested;
        if (!profile || !loggedOut) throw new Error("no request to sign out");
        const location = await saml.getLogoutResponseUrlAsync(profile, message.RelayState ?? "", {}, true);
        return { nameId: profile.nameID, answer: { location } };
      },
    };
  });
  return {
    name: "node-saml",
    entityId: `${site.url}/saml`,
    metadata: saml.generateServiceProviderMetadata(pem, pem),
    inside: `${site.url}/inside`,
    insideByPost: `${site.url}/inside-by-post`,
    // `validateInResponseTo: "always"`.
    takesUnsolicited: false,
    logout: `${site.url}/logout`,
    userOn: userOnList,
    refresh: () => refresh(),
    log: site.log,
  };
}
