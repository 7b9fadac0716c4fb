import { isIP } from "node:net";
import Type, { type TProperties } from "typebox";
import { isInGroup } from "../../directory/groups/index.ts";
import { addressSet, inSet, plainAddress } from "../../platform/outbound/index.ts";
import { findTrustedBy } from "../known-browsers/index.ts";
import { levelOf } from "../sessions/index.ts";
import type { Condition, PassedBy, StepContext } from "./authenticator.ts";
import { hasRole } from "./conditions.store.ts";

const negate = Type.Optional(Type.Boolean({ default: false, description: "Hold when it is not so" }));
const names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { minItems: 1, maxItems: 100, uniqueItems: true, description });

function condition<const P extends TProperties>(
  displayName: string,
  description: string,
  members: P,
  isSo: (at: StepContext, config: Readonly<Record<string, unknown>>, passedBy: PassedBy) => boolean | Promise<boolean>,
): Condition {
  return {
    kind: "condition",
    displayName,
    description,
    config: Type.Object({ ...members, negate }, { additionalProperties: false }),
    holds: async (at, passedBy) => (await isSo(at, at.config, passedBy)) !== (at.config.negate === true),
  };
}

const listed = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** The conditions for asking for a sub-flow. Conditions on the user do not hold while the user is unknown. */
export const conditions = {
  "condition-credential": condition(
    "Credential present",
    "The user has a credential of one of these types",
    { types: names("`totp`, `passkey`, `push`, `recovery-code`, `password`") },
    ({ user }, { types }) => user !== null && listed(types).some((type) => user.credentials.has(type)),
  ),
  "condition-role": condition(
    "Role",
    "The user has one of these realm roles, by whatever way",
    { roles: names("Names of realm roles") },
    ({ parts, realm, user }, { roles }) => user !== null && hasRole(parts.db, realm.realmId, user.userId, listed(roles)),
  ),
  "condition-group": condition(
    "Group",
    "The user is a member of one of these groups, or of one below them",
    { groups: names("Ids of groups") },
    ({ parts, realm, user }, { groups }) => user !== null && isInGroup(parts.db, realm.realmId, user.userId, listed(groups)),
  ),
  "condition-attribute": condition(
    "Attribute",
    "An attribute of the user has this value, or any where none is given",
    {
      name: Type.String({ minLength: 1, maxLength: 255 }),
      value: Type.Optional(Type.String({ maxLength: 2048 })),
    },
    ({ user }, { name, value }) => {
      const own = user && Object.hasOwn(user.attributes, String(name)) ? user.attributes[String(name)] : undefined;
      if (own === undefined || own === null) return false;
      return value === undefined || (Array.isArray(own) ? own.includes(value) : own === value);
    },
  ),
  "condition-client": condition(
    "Client",
    "One of these clients asked for the sign-in",
    { clientIds: names("OAuth client ids or SAML entity ids") },
    ({ request }, { clientIds }) => request.clientId !== undefined && listed(clientIds).includes(request.clientId),
  ),
  "condition-network": condition(
    "Network",
    "The request comes from one of these networks",
    { networks: names("Addresses or networks as 10.0.0.0/8 or 2001:db8::/32") },
    ({ visitor }, { networks }) => isWithinNetworks(visitor.sourceIp, listed(networks)),
  ),
  "condition-acr": condition(
    "Level asked for",
    "The application asks for this level of certainty, and it is not reached yet",
    { acr: Type.String({ enum: ["1", "2"], description: "`1` is one factor, `2` is two" }) },
    ({ request, progress }, { acr }) => Number(request.acr ?? 0) >= Number(acr) && Number(levelOf(progress.passed) ?? 0) < Number(acr),
  ),
  "condition-single-factor": condition(
    "One factor so far",
    "The factors proven so far are of one kind",
    {},
    ({ progress }) => levelOf(progress.passed) !== "2",
  ),
  "condition-unknown-device": condition(
    "Unknown device",
    "The user has not marked this browser as trusted, when giving what the sub-flow asks for",
    {},
    async ({ parts, realm, user, visitor: { session, deviceToken: cookie }, progress, now }, config, passedBy) => {
      // For a session that continues, the browser is the one that it began in: an application that acts for the user sends no cookie.
      const id = session && progress.sessionId === session.sessionId ? session.browserId : null;
      const trustedBy = user && (await findTrustedBy(parts.db, realm, user.userId, { cookie, id }, now));
      if (!trustedBy) return true;
      // Another flow may have asked for less, so its trust counts only if it passes this sub-flow. A negated condition is for trusted
      // browsers: there any trust counts.
      return config.negate !== true && !(await passedBy(trustedBy));
    },
  ),
} satisfies Record<string, Condition>;

/**
 * Tells whether the address is in one of the networks. An entry that is neither an address nor a network matches nothing; the flow refuses
 * it when it is saved.
 */
export function isWithinNetworks(address: string, networks: readonly string[]): boolean {
  const plain = plainAddress(address);
  return isIP(plain) !== 0 && inSet(addressSet(networks.filter((network) => isIP(network.split("/", 1)[0]!) !== 0)), plain);
}
