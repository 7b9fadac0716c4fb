// A site with samlify, which knows our identity provider by its metadata.
import { Constants, IdentityProvider, ServiceProvider, setSchemaValidator } from "samlify";
import { haveSchemas, makeIdentity, schemaComplaints } from "../../../src/testing/saml-peers.ts";
import { librarySite } from "./library-site.ts";
import { type Peer, userOnList } from "./peer.ts";

/**
 * It only parses documents that are valid by the schemas of OASIS, if these are installed. Only the first message of each kind is validated, because reading
 * the schemas takes long.
 */
const validated = new Set<string>();
const validate = async (xml: string) => {
  const kind = `${/<\w+:(\w+)/.exec(xml)?.[1]} ${xml.includes("EncryptedAssertion")}`;
  const complaints = haveSchemas() && !validated.has(kind) ? schemaComplaints(xml) : null;
  validated.add(kind);
  if (complaints) throw new Error(complaints);
  return "SUCCESS_VALIDATE_XML";
};

/** It signs logout messages if these settings say so. */
const signedLogout = { wantLogoutRequestSigned: true, wantLogoutResponseSigned: true };

export async function startSamlify(issuer: string): Promise<Peer> {
  setSchemaValidator({ validate });
  const { privateKey, pem } = await makeIdentity();
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  let sp!: ReturnType<typeof ServiceProvider>;
  let idp!: ReturnType<typeof IdentityProvider>;
  /** The encryption of assertions is a setting of samlify, which does not detect it. */
  let encrypting!: ReturnType<typeof IdentityProvider>;
  const refresh = async () => {
    const metadata = await (await fetch(`${issuer}/saml/idp/metadata`)).text();
    const make = (isAssertionEncrypted: boolean) =>
      IdentityProvider({ metadata, isAssertionEncrypted, messageSigningOrder: "encrypt-then-sign", ...signedLogout });
    [idp, encrypting] = [make(false), make(true)];
  };
  await refresh();
  const form = (context: { entityEndpoint?: string; context: string; type?: string }) => ({
    page: `<form method="post" action="${context.entityEndpoint}"><input type="hidden" name="${context.type}" value="${context.context}"><input type="hidden" name="RelayState" value="/inside"></form>`,
  });
  const site = await librarySite(async (url) => {
    const { binding } = Constants.namespace;
    sp = ServiceProvider({
      entityID: `${url}/samlify`,
      authnRequestsSigned: true,
      allowCreate: true,
      signatureConfig: {
        prefix: "ds",
        location: { reference: "/*[local-name(.)='AuthnRequest']/*[local-name(.)='Issuer']", action: "after" },
      },
      wantAssertionsSigned: true,
      wantMessageSigned: true,
      ...signedLogout,
      requestSignatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
      privateKey: key,
      encPrivateKey: key,
      signingCert: pem,
      encryptCert: pem,
      nameIDFormat: [Constants.namespace.format.persistent],
      assertionConsumerService: [{ Binding: binding.post, Location: `${url}/saml/acs` }],
      singleLogoutService: [{ Binding: binding.redirect, Location: `${url}/saml/slo` }],
    });
    const inQuery = (message: Readonly<Record<string, string>>, query: string) => ({
      query: { ...message },
      // The signed text is unchanged.
      octetString: query.replace(/&Signature=[^&]*/, ""),
    });
    return {
      async login(how) {
        const request = sp.createLoginRequest(idp, how, { relayState: "/inside" });
        return how === "redirect" ? { location: request.context } : form(request as Parameters<typeof form>[0]);
      },
      async accept(posted) {
        const isEncrypted = Buffer.from(posted.SAMLResponse ?? "", "base64").includes("EncryptedAssertion");
        const { extract } = await sp.parseLoginResponse(isEncrypted ? encrypting : idp, "post", { body: { ...posted } });
        const { nameID, attributes = {}, sessionIndex } = extract;
        if (typeof nameID !== "string") throw new Error("no NameID");
        return { nameId: nameID, user: String(attributes.username), mail: String(attributes.email), session: sessionIndex?.sessionIndex };
      },
      async logout({ nameId, session }) {
        const request = sp.createLogoutRequest(idp, "redirect", { logoutNameID: nameId, sessionIndex: session as string });
        return { location: request.context };
      },
      async loggedOut(message, query) {
        await sp.parseLogoutResponse(idp, "redirect", inQuery(message, query));
      },
      async askedToLogOut(message, query) {
        const { extract } = await sp.parseLogoutRequest(idp, "redirect", inQuery(message, query));
        const { context } = sp.createLogoutResponse(idp, { extract } as never, "redirect", { relayState: message.RelayState ?? "" });
        return { nameId: String(extract.nameID), answer: { location: context } };
      },
    };
  });
  return {
    name: "samlify",
    entityId: `${site.url}/samlify`,
    metadata: sp.getMetadata(),
    inside: `${site.url}/inside`,
    insideByPost: `${site.url}/inside-by-post`,
    takesUnsolicited: true,
    logout: `${site.url}/logout`,
    userOn: userOnList,
    refresh,
    log: site.log,
  };
}
