import { startOpenLdap } from "../../test/peers/index.mjs";
import { clock } from "../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "./harness.ts";
import type { Identity, PrivateAuthority } from "./private-authority.ts";
import { privateAuthority } from "./private-authority.ts";
import type { RealmUnderTest } from "./realm.ts";

export const SUFFIX = "dc=corp,dc=test";
export const PEOPLE = `ou=people,${SUFFIX}`;

/** Returns an entry as LDIF, to be loaded. Its password is `<uid>-password`. */
export const person = (uid: string, more: Record<string, string | readonly string[]> = {}): string => {
  const attributes = {
    cn: uid,
    sn: `Last ${uid}`,
    givenName: `First ${uid}`,
    mail: `${uid}@corp.test`,
    userPassword: `${uid}-password`,
    ...more,
  };
  const lines = Object.entries(attributes).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}`));
  return [`dn: uid=${uid},${PEOPLE}`, "objectClass: inetOrgPerson", `uid: ${uid}`, ...lines, ""].join("\n");
};

/** Returns LDIF that adds the entries to a running directory. */
export const added = (ldif: string): string => ldif.replace("\n", "\nchangetype: add\n");

export interface DirectoryPeer {
  readonly authority: PrivateAuthority;
  readonly identity: Identity;
  readonly ldap: Awaited<ReturnType<typeof startOpenLdap>>;
  /** Returns the configuration of a provider for it. */
  config(more?: Record<string, unknown>): Record<string, unknown>;
}

export async function openLdapPeer(ldif: string): Promise<DirectoryPeer> {
  const authority = await privateAuthority();
  const identity = await authority.identity("ldap.test");
  const ldap = await startOpenLdap({ identity, ca: authority.ca, ldif });
  return {
    authority,
    identity,
    ldap,
    config: (more = {}) => ({
      ...{ url: ldap.tlsUrl, caCertificate: authority.ca, bindDn: `cn=sync,${SUFFIX}`, bindPassword: "sync-password" },
      ...{ userSearchBase: SUFFIX, ...more },
    }),
  };
}

/** A server with an OpenLDAP directory. */
export interface DirectoryStage {
  readonly iam: SharedHarness;
  readonly peer: DirectoryPeer;
  /** Makes a new realm with the directory as `corp`. */
  realmWith(config?: Record<string, unknown>): Promise<RealmUnderTest>;
  close(): Promise<void>;
}

export async function directoryStage(ldif: string, environment: Record<string, string> = {}): Promise<DirectoryStage> {
  const peer = await openLdapPeer(ldif);
  const iam = await sharedHarness({ GATEHOUSE_ALLOWED_HOSTS: "127.0.0.1", ...environment });
  await iam.server.jobs.stop();
  return {
    iam,
    peer,
    async realmWith(config) {
      const realm = await iam.realm();
      await addDirectory(realm, peer.config(config));
      return realm;
    },
    async close() {
      clock.reset();
      await iam.close();
      await peer.ldap.stop();
    },
  };
}

/** Runs a sync of `corp`, and returns its status with the report. */
export async function syncDirectory(realm: RealmUnderTest, query = "") {
  const { status, body } = await realm.asMaster().post(`/user-federation/corp/sync${query}`);
  return { status, ...body };
}

/** Adds a directory to the realm. */
export async function addDirectory(
  realm: RealmUnderTest,
  config: Record<string, unknown>,
  { alias = "corp", protocol = "ldap" }: { alias?: string; protocol?: "ldap" | "ad" } = {},
): Promise<void> {
  const answer = await realm.asMaster().post("/identity-providers", { alias, protocol, config });
  if (answer.status !== 201) throw new Error(`could not create a directory: ${answer.status} ${answer.text}`);
}
