import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { rootCertificates } from "node:tls";
import { insertLink, type ProtocolName } from "../federation/index.ts";
import { newId } from "../kernel/ids.ts";
import { systemActor } from "../platform/context.ts";
import type { SharedHarness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";
import { makeIdentity } from "./saml-peers.ts";

export const CLIENT_SECRET = "a-client-secret-of-the-provider";
export const pem = (type: "rsa" | "ec" | "ed25519") => {
  const { privateKey } =
    type === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : type === "ec"
        ? generateKeyPairSync("ec", { namedCurve: "P-256" })
        : generateKeyPairSync("ed25519");
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
};
export const KEY = pem("ec");
/** Real certificates of public authorities. */
export const CERTIFICATES = rootCertificates
  .filter((each) => new X509Certificate(each).publicKey.asymmetricKeyDetails?.modulusLength === 2048)
  .slice(0, 2) as [string, string];

const eidKeys = await makeIdentity();
const eidKey = eidKeys.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const eid = {
  ...{ ssoUrl: "https://login.example.com/sso", idpEntityId: "https://login.example.com/metadata", idpSigningCertificate: CERTIFICATES[0] },
  ...{ spSigningCertificate: eidKeys.pem, spSigningPrivateKey: eidKey, spDecryptionPrivateKey: eidKey },
};

/** The least configuration that each protocol accepts. */
export const leastConfig: Record<ProtocolName, Record<string, unknown>> = {
  oidc: { issuer: "https://login.example.com/realm", clientId: "gatehouse", clientSecret: CLIENT_SECRET },
  oauth2: {
    ...{ authorizationUrl: "https://login.example.com/authorize", tokenUrl: "https://login.example.com/token" },
    ...{ userinfoUrl: "https://login.example.com/me", clientId: "gatehouse", clientSecret: CLIENT_SECRET },
  },
  google: { clientId: "gatehouse", clientSecret: CLIENT_SECRET },
  github: { clientId: "gatehouse", clientSecret: CLIENT_SECRET },
  microsoft: { clientId: "gatehouse", clientSecret: CLIENT_SECRET },
  apple: { clientId: "com.example.gatehouse", teamId: "TEAM123456", keyId: "KEY1234567", privateKey: KEY },
  gitlab: { clientId: "gatehouse", clientSecret: CLIENT_SECRET },
  linkedin: { clientId: "gatehouse", clientSecret: CLIENT_SECRET },
  facebook: { clientId: "gatehouse", clientSecret: CLIENT_SECRET },
  discord: { clientId: "gatehouse", clientSecret: CLIENT_SECRET },
  saml: {
    ...{ ssoUrl: "https://login.example.com/sso", idpEntityId: "https://login.example.com/metadata" },
    ...{ idpSigningCertificate: CERTIFICATES[0], spDecryptionPrivateKey: pem("rsa") },
  },
  eherkenning: eid,
  eidas: eid,
  ldap: { url: "ldaps://ldap.example.com", bindDn: "cn=sync,dc=example", bindPassword: CLIENT_SECRET, userSearchBase: "dc=example" },
  ad: { url: "ldaps://dc1.example.com", bindDn: "sync@example.com", bindPassword: CLIENT_SECRET, userSearchBase: "dc=example" },
};

/** Returns the body that creates a provider. */
export const identityProvider = (protocol: ProtocolName, alias: string = protocol) => ({
  alias,
  protocol,
  displayName: `By ${alias}`,
  config: leastConfig[protocol],
});

/** Links a user to a provider, as a sign-in would. */
export async function linkTo(iam: SharedHarness, realm: RealmUnderTest, alias: string, userId: string, subject = newId()) {
  const { provider_id: providerId } = await iam.core.db
    .selectFrom("identity_providers")
    .select("provider_id")
    .where("realm_id", "=", realm.name)
    .where("alias", "=", alias)
    .executeTakeFirstOrThrow();
  await iam.core.work.transact({ realm: realm.name, actor: systemActor(realm.name), sourceIp: null }, (ctx) =>
    insertLink(ctx.tx, realm.name, { providerId, subject, userId, username: null }, ctx.now),
  );
}
