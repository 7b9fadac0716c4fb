import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { clock, DAY } from "../../../kernel/clock.ts";
import { sha256 } from "../../../kernel/vault.ts";
import { type PublishedDocument, publish, samlMetadataOf } from "../../../platform/http/index.ts";
import { BINDING, type Endpoint, idpMetadata, render, signed } from "../../../platform/saml/index.ts";
import { type RealmSnapshot, unknownRealm } from "../../../tenancy/realms/index.ts";
import { publishAt } from "../../gate/index.ts";
import { endpointOf, entityIdOf, PATHS, signingKeyOf } from "../identity.ts";
import type { SamlParts } from "../parts.ts";
import { NAME_ID_FORMATS } from "../sso/index.ts";

const params = Type.Object({ realm: Type.String() });

/** Mounted under both addresses: below the realm's own, and without `/realms`. */
export const samlMetadataRoutes: FastifyPluginAsyncTypebox<MetadataParts> = async (app, parts) => {
  const { realms } = parts;
  // There is one document for each configuration of the realm. It is made anew every day, because it contains its expiry.
  const made = new WeakMap<RealmSnapshot, { readonly day: number; readonly document: Promise<PublishedDocument> }>();
  const ready = new WeakMap<Promise<PublishedDocument>, PublishedDocument>();
  const today = () => Math.floor(clock.now() / DAY);
  const current = (realm: RealmSnapshot | undefined) => {
    const known = realm && made.get(realm);
    return known?.day === today() ? known.document : undefined;
  };
  const published = publish({
    known(name) {
      const document = current(realms.peek(name));
      return document && ready.get(document);
    },
    async find(name) {
      const realm = await realms.get(name);
      if (!realm) throw unknownRealm();
      const known = current(realm);
      if (known) return known;
      const document = makeMetadata(parts, realm);
      made.set(realm, { day: today(), document });
      document.then(
        (complete) => ready.set(document, complete),
        () => made.delete(realm),
      );
      return document;
    },
  });
  const schema = {
    summary: "Read the metadata of the realm as a SAML identity provider",
    tags: ["Protocol"],
    produces: ["application/samlmetadata+xml"],
    params,
    response: { 200: Type.String({ description: "The signed SAML metadata of the realm: its certificates and endpoints" }) },
  };
  publishAt(app, `/realms/:realm${PATHS.metadata}`, schema, published);
  publishAt(app, `/:realm${PATHS.metadata}`, { ...schema, operationId: "getShortSamlIdpMetadata" }, published);
};

type MetadataParts = Pick<SamlParts, "realms" | "signingKeys" | "baseUrl">;

/** The `cacheDuration`. `VALID` is the period of `validUntil`. */
const CACHE_SECONDS = 3_600;
const VALID = 365 * DAY;

/** The endpoints with their bindings. Each feature adds its own. */
const SERVICES: readonly { readonly service: "sso" | "slo"; readonly path: keyof typeof PATHS; readonly bindings: readonly string[] }[] = [
  { service: "sso", path: "sso", bindings: [BINDING.redirect, BINDING.post] },
  { service: "slo", path: "slo", bindings: [BINDING.redirect, BINDING.post, BINDING.soap] },
];

/** SAML metadata §2.4.3: makes signed metadata. The key in use comes first, and earlier keys remain until they are deleted. */
async function makeMetadata(parts: MetadataParts, realm: RealmSnapshot): Promise<PublishedDocument> {
  const { baseUrl } = parts;
  const { realmId, keys, settings } = realm;
  // The time is that of the day, so that every node makes the same document and the ETag remains.
  const validUntil = Math.floor(clock.now() / DAY) * DAY + VALID;
  const entityId = entityIdOf(baseUrl, realmId);
  const of = (wanted: "sso" | "slo"): Endpoint[] =>
    SERVICES.filter(({ service }) => service === wanted).flatMap(({ path, bindings }) =>
      bindings.map((binding) => ({ binding, location: endpointOf(baseUrl, realmId, path), responseLocation: null })),
    );
  const soap = { binding: BINDING.soap, location: endpointOf(baseUrl, realmId, "artifact"), responseLocation: null };
  const entity = {
    entityId,
    validUntil,
    cacheDurationSeconds: CACHE_SECONDS,
    idp: {
      signingCertificates: keys.map(({ certificate }) => certificate),
      ...{ encryptionCertificates: [], encryptionMethods: [], nameIdFormats: NAME_ID_FORMATS },
      singleSignOnServices: of("sso"),
      singleLogoutServices: of("slo"),
      artifactResolutionServices: [{ ...soap, index: 0, isDefault: true }],
      displayName: settings.displayName,
      wantAuthnRequestsSigned: settings.saml.wantAuthnRequestsSigned,
    },
  };
  const metadata = idpMetadata({ ...entity, id: `_${sha256(JSON.stringify(entity)).slice(0, 40)}` });
  const xml = render(await signed(metadata, await signingKeyOf(parts, realmId)));
  return samlMetadataOf(`<?xml version="1.0" encoding="UTF-8"?>${xml}`);
}
