import { raiseAttempts } from "../../directory/credentials/index.ts";
import { domainOfAddress, normalDomain } from "../../directory/organizations/index.ts";
import {
  type AddressHolder,
  addRequiredAction,
  createUser,
  findAddressHolder,
  findUserByLogin,
  isMailShaped,
  refusalOfUsername,
  updateBrokeredUser,
  userErrors,
} from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { cut, loginKey } from "../../kernel/text.ts";
import { randomToken, sha256 } from "../../kernel/vault.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Origin, UnitOfWork } from "../../platform/unit-of-work.ts";
import { basisOf, sourceOf } from "../providers/control.ts";
import { addLink } from "../providers/links.service.ts";
import { findLinkedUser, isLinkedTo, type LinkedUser, recordSupplied } from "../providers/links.store.ts";
import { followGrants } from "../providers/mapper-grants.ts";
import type { MapperState } from "../providers/mappers.schema.ts";
import { claimsOfTemplate, countsNow, fillTemplate, mappedAttributes } from "../providers/mapping.ts";
import { protocolOf } from "../providers/protocols.ts";
import type { ProviderSnapshot } from "../providers/provider.ts";
import type { BrokeredIdentity } from "./broker.ts";

/** The account that a user of a provider signs in to. */
type AccountResult =
  | ({ readonly kind: "linked" } & LinkedUser)
  /** An account has the same address. The user proves by its own factors that it is theirs, and it is linked. */
  | { readonly kind: "prove"; readonly userId: string; readonly login: string; readonly isConfirmed: boolean; readonly mayCreate: boolean }
  | { readonly kind: "refused"; readonly reason: "denied" | "no-account" | "domain" | "too-many" };

interface Parts {
  readonly db: Db;
  readonly work: UnitOfWork;
}

/** Tells whether this realm accepts the provider's word that the address is verified. */
const isTrustedAddress = ({ config }: ProviderSnapshot, { email, emailVerified }: BrokeredIdentity): boolean =>
  email !== null && emailVerified && config.trustEmail === true;

type From = Pick<Origin, "sourceIp" | "requestId">;

interface Visit {
  readonly linked: LinkedUser | null;
  readonly from: From;
  /** `user`: the sign-in already belongs to a user. `name`: it began with a name that no user has. */
  readonly begunFor: "user" | "name" | null;
}

/**
 * Finds the account by the link, and by nothing else: an address or a name never signs a user in. Without a link, an account with the same address is offered
 * for linking, whether or not the address is verified, and it is linked only after a proof by its own factors. Otherwise an account is created, if the provider
 * may do so. A sign-in that began for a user or a name creates no account, because it could not continue as another user.
 */
export async function resolveAccount(
  parts: Parts,
  provider: ProviderSnapshot,
  identity: BrokeredIdentity,
  visit: Visit,
): Promise<AccountResult> {
  const { config } = provider;
  const { linked, begunFor, from } = visit;
  if (!isInAllowedDomain(provider, identity)) return { kind: "refused", reason: "domain" };
  if (linked !== null) return { kind: "linked", ...linked };
  if (config.provisioning === "deny") return { kind: "refused", reason: "denied" };
  const isTrusted = isTrustedAddress(provider, identity);
  if (!isTrusted && !(await mayAsk(parts, provider, identity, from))) return { kind: "refused", reason: "too-many" };
  const mayCreate = config.provisioning === "create" && begunFor === null;
  const findHolder = async () =>
    identity.email === null || begunFor === "user" ? null : findAddressHolder(parts.db, provider.realm, identity.email);
  // If a trusted provider has verified the address and its holder has confirmed it, it is clear whose account it is.
  const prove = (holder: AddressHolder) =>
    ({ kind: "prove", ...holder, login: identity.email!, mayCreate: mayCreate && !(isTrusted && holder.isConfirmed) }) as const;

  const holder = await findHolder();
  // A user has one account at each provider. If they have another one there, this one could not be linked.
  if (holder !== null && !(await isLinkedTo(parts.db, provider.realm, provider.providerId, holder.userId))) return prove(holder);
  if (!mayCreate) return { kind: "refused", reason: "no-account" };
  try {
    // An untrusted address is no name for sign-ins, and takes nothing away from its holder.
    const keeper = isTrusted ? holder : null;
    return { kind: "linked", userId: await createAccount(parts, provider, identity, keeper, from), hasGrants: false };
  } catch (error) {
    // Another user has taken the address in the meantime.
    const late = holder === null && isNameTaken(error) ? await findHolder() : null;
    if (late === null) throw error;
    return prove(late);
  }
}

const isNameTaken = (error: unknown): boolean => error instanceof AppError && error.code === userErrors.login_name_taken().code;

/** The limit of questions per hour for one account at the provider. */
const MAX_QUESTIONS = 10;
const HOUR_IN_MINUTES = 60;

/**
 * Limits how often an account at a provider can find out whether a user here has its address, because an unverified address may be any address. The attempt is
 * counted before the lookup, so known and unknown addresses count alike.
 */
async function mayAsk({ work }: Parts, { realm, providerId }: ProviderSnapshot, { email, subject }: BrokeredIdentity, from: From) {
  if (email === null) return true;
  const policy = { maxFailures: MAX_QUESTIONS, lockMinutes: HOUR_IN_MINUTES, forgetAfterMinutes: HOUR_IN_MINUTES, growingWaits: false };
  const counted = sha256(`${providerId} ${subject}`);
  const { allowed } = await work.transact({ realm, actor: systemActor(realm), ...from }, (ctx) =>
    raiseAttempts(ctx.tx, realm, "broker-address", counted, policy, ctx.now),
  );
  return allowed;
}

/** Tells whether the user's domain is allowed. Only an address that the provider has verified proves a domain. */
export function isInAllowedDomain({ config }: ProviderSnapshot, { email, emailVerified }: BrokeredIdentity): boolean {
  const domains = config.allowedDomains as readonly string[];
  if (domains.length === 0) return true;
  const domain = email === null ? null : domainOfAddress(email);
  return emailVerified && domain !== null && domains.some((allowed) => normalDomain(allowed) === domain);
}

const TRIES = 3;

/** Returns the actor of changes that follow from a provider's answer. */
const actorOf = ({ realm, alias }: ProviderSnapshot) => systemActor(realm, `identity provider ${alias}`);

/** Tells whether an address stays with its holder. An unconfirmed address goes to a user for whom a trusted provider has verified it. */
export const keepsAddress = (provider: ProviderSnapshot, identity: BrokeredIdentity, holder: Pick<AddressHolder, "isConfirmed">): boolean =>
  holder.isConfirmed || !isTrustedAddress(provider, identity);

/** Creates the account, its link and its grants in one transaction. If two first sign-ins come at once, the second finds the account of the first. */
export async function createAccount(
  parts: Parts,
  provider: ProviderSnapshot,
  asserted: BrokeredIdentity,
  holder: AddressHolder | null,
  from: From,
): Promise<string> {
  const { realm, providerId } = provider;
  let identity = holder !== null && keepsAddress(provider, asserted, holder) ? { ...asserted, email: null } : asserted;
  const origin = { realm, actor: actorOf(provider), ...from };
  let isCrowded = false;
  for (let tries = 1; ; tries++) {
    const username = await freeUsername(parts.db, provider, identity, isCrowded);
    try {
      return await parts.work.transact(origin, (ctx) => insertAccount(ctx, provider, identity, username));
    } catch (error) {
      const linked = await findLinkedUser(parts.db, realm, providerId, identity.subject);
      if (linked !== null) return linked.userId;
      if (!isNameTaken(error) || tries === TRIES) throw error;
      // The holder has confirmed the address in the meantime.
      if (holder !== null && identity.email !== null) identity = { ...asserted, email: null };
      else isCrowded = true;
    }
  }
}

async function insertAccount(ctx: Ctx, provider: ProviderSnapshot, identity: BrokeredIdentity, username: string): Promise<string> {
  const { protocol, alias, providerId } = provider;
  const { email, subject } = identity;
  const emailVerified = isTrustedAddress(provider, identity);
  const input = { username, email, emailVerified };
  const { userId } = await createUser(ctx, input, emailVerified ? "vouched" : "unconfirmed", sourceOf(protocol, alias), "source");
  const actor = { id: userId, name: username };
  await addLink(ctx, alias, { providerId, subject, userId, username: identity.username, basis: basisOf(provider) }, actor);
  await applyMapping(ctx, provider, identity, userId, true);
  ctx.audit({ category: "AUTHN", type: "REGISTER", actor, detail: alias });
  // The user is asked for what the provider omitted.
  if (email === null || identity.firstName === null || identity.lastName === null)
    await addRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PROFILE");
  return userId;
}

/** Finds a free username, by the provider's template or its name for the user, with a number if it is taken. Another user's name is never taken over. */
async function freeUsername(
  db: Db,
  { realm, alias, config }: ProviderSnapshot,
  identity: BrokeredIdentity,
  isLast: boolean,
): Promise<string> {
  const { subject, email, username } = identity;
  const template = typeof config.usernameTemplate === "string" ? config.usernameTemplate : null;
  const wanted = template === null ? username : fillTemplate(template, { ...identity.claims, alias, sub: subject });
  const isOwn =
    email !== null && identity.emailVerified && config.trustEmail === true && wanted !== null && loginKey(wanted) === loginKey(email);
  // A name in the form of an address could be another user's address, unless it is verified as this user's.
  const plain = wanted !== null && isMailShaped(wanted) && !isOwn ? wanted.slice(0, wanted.indexOf("@")) : wanted;
  const called = clean(plain ?? "") || `${alias}-${randomToken().slice(0, 8)}`;
  const name = refusalOfUsername(called) ? `${alias}-${called}` : called;
  for (const candidate of isLast ? [] : [name, `${name}-2`, `${name}-3`, `${name}-4`])
    if (!(await findUserByLogin(db, realm, candidate))) return candidate;
  return `${name}-${randomToken().slice(0, 8)}`;
}

/** Removes characters that a username may not contain, and leaves room for a number. */
const clean = (name: string): string =>
  cut(
    cut(name, 1_000)
      .normalize("NFC")
      .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ".")
      .replace(/^\.+|\.+$/g, ""),
    200,
  );

/** Tells whether a sign-in of a linked user may have to write or withdraw anything. */
export const writesEachTime = ({ config, mappers }: ProviderSnapshot, { hasGrants }: LinkedUser): boolean =>
  hasGrants || config.sync === "force" || mappers.some(({ sync }) => sync === "force");

const isListed = (value: unknown) => Array.isArray(value) && value.length > 0;

/** Tells whether a sign-in of a linked user needs more than the user's subject. */
export const usesProfile = (provider: ProviderSnapshot, linked: LinkedUser): boolean =>
  writesEachTime(provider, linked) ||
  provider.isOfOrganizations ||
  [provider.config.allowedDomains, provider.config.multiFactorAcr, provider.config.multiFactorAmr].some(isListed);

/** Returns the part of an identity that an account is made of. It contains the claims that mappers and the template of usernames read. */
export function identityToKeep({ config, mappers }: ProviderSnapshot, identity: BrokeredIdentity) {
  const { subject, username, email, emailVerified, firstName, lastName, acr, amr } = identity;
  const templates = [config.usernameTemplate, ...mappers.map(({ template }) => template)].filter((each) => typeof each === "string");
  const paths = [...mappers.flatMap(({ claim }) => claim ?? []), ...templates.flatMap(claimsOfTemplate)];
  const names = new Set(paths.flatMap((path) => [path, path.split(".", 1)[0]!]));
  const claims = Object.fromEntries(Object.entries(identity.claims).filter(([name]) => names.has(name)));
  return { subject, username, email, emailVerified, firstName, lastName, claims, acr, amr };
}

/**
 * Applies the provider's claims to its user: names, address, attributes, roles and groups. The caller must hold the lock on the user's row. The administrator
 * who saved the mappers needed the permissions of the roles that they grant.
 */
export async function applyMapping(work: Ctx, provider: ProviderSnapshot, identity: BrokeredIdentity, userId: string, isFirst: boolean) {
  const { config, mappers } = provider;
  const actor = actorOf(provider);
  const ctx: Ctx = { ...work, audit: (draft) => work.audit({ actor, ...draft }) };
  const takesNames = countsNow(isFirst)(config as Pick<MapperState, "sync">);
  const attributes = {
    ...(takesNames && identity.firstName !== null && { firstName: identity.firstName }),
    ...(takesNames && identity.lastName !== null && { lastName: identity.lastName }),
    ...mappedAttributes(mappers, identity.claims, isFirst),
  };
  const follows = !isFirst && config.sync === "force" && identity.email !== null;
  const email = follows ? { address: identity.email!, verified: config.trustEmail === true && identity.emailVerified } : undefined;
  await updateBrokeredUser(ctx, userId, { attributes, ...(email && { email }) });
  if (protocolOf(provider.protocol).vouchesForProfile) {
    const names = (["firstName", "lastName", "email"] as const).filter((member) => identity[member] !== null);
    const mapped = Object.entries(mappedAttributes(mappers, identity.claims, true)).filter(([, value]) => value !== undefined);
    const supplied = { names: takesNames ? names : null, attributes: mapped.map(([name]) => name) };
    await recordSupplied(ctx.tx, ctx.realm, { providerId: provider.providerId, userId }, supplied);
  }
  await followGrants(ctx, provider, identity.claims, userId, isFirst);
}
