import { domainOfAddress, normalDomain } from "../../directory/organizations/index.ts";
import {
  addRequiredAction,
  createUser,
  findUserByLogin,
  isAddressOf,
  isMailShaped,
  readUser,
  userErrors,
} from "../../directory/users/index.ts";
import { AppError } from "../../kernel/errors.ts";
import { cut, loginKey } from "../../kernel/text.ts";
import { randomToken } from "../../kernel/vault.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { addLink, fillTemplate, findLinkedUser, type LinkedUser, type ProviderSnapshot, sourceOf } from "../identity-providers/index.ts";
import type { BrokeredIdentity } from "./broker.ts";
import { applyMapping } from "./mapping.ts";

/** The account that a user of a provider signs in to. */
export type Arrival =
  | ({ readonly kind: "linked" } & LinkedUser)
  /** An account has their address: they prove that it is theirs, by its own factors, and it is linked. */
  | { readonly kind: "prove"; readonly userId: string; readonly login: string }
  | { readonly kind: "refused"; readonly reason: "denied" | "no-account" | "domain" };

interface Parts {
  readonly db: Db;
  readonly work: UnitOfWork;
}

/** Whether the provider's word about the address counts here. */
export const isTrustedAddress = ({ config }: ProviderSnapshot, { email, emailVerified }: BrokeredIdentity): boolean =>
  email !== null && emailVerified && config.trustEmail === true;

/**
 * By the link, and by nothing else: an address or a name never signs a user in. Without a link an account is made, where the provider may;
 * or one that has the same verified address is offered to be linked, and no account is linked without its own factors. A sign-in that belongs
 * to a user already (`isOpen` false) makes no account: it could not go on as another user.
 */
export async function arrive(
  parts: Parts,
  provider: ProviderSnapshot,
  identity: BrokeredIdentity,
  { linked, sourceIp, isOpen }: { readonly linked: LinkedUser | null; readonly sourceIp: string; readonly isOpen: boolean },
): Promise<Arrival> {
  const { realm, config } = provider;
  if (!isInAllowedDomain(provider, identity)) return { kind: "refused", reason: "domain" };
  if (linked !== null) return { kind: "linked", ...linked };
  if (config.provisioning === "deny") return { kind: "refused", reason: "denied" };
  const owner = isTrustedAddress(provider, identity) ? await ownerOf(parts.db, realm, identity.email!) : null;
  if (owner !== null) return { kind: "prove", userId: owner, login: identity.email! };
  if (config.provisioning === "link-only" || !isOpen) return { kind: "refused", reason: "no-account" };
  return { kind: "linked", userId: await createAccount(parts, provider, identity, sourceIp), hasGrants: false };
}

/** Only an address that the provider has verified says anything about its domain. */
export function isInAllowedDomain({ config }: ProviderSnapshot, { email, emailVerified }: BrokeredIdentity): boolean {
  const domains = config.allowedDomains as readonly string[];
  if (domains.length === 0) return true;
  const domain = email === null ? null : domainOfAddress(email);
  return emailVerified && domain !== null && domains.some((allowed) => normalDomain(allowed) === domain);
}

async function ownerOf(db: Db, realm: string, email: string): Promise<string | null> {
  const holder = await findUserByLogin(db, realm, email);
  if (!holder) return null;
  const user = await readUser({ tx: db, realm, actor: systemActor(realm), now: 0 }, holder.userId);
  return isAddressOf(user, email) ? user.userId : null;
}

const TRIES = 3;

/** The account, its link and what it gets, in one transaction. Of two first sign-ins at once the second finds the first one's account. */
async function createAccount(parts: Parts, provider: ProviderSnapshot, identity: BrokeredIdentity, sourceIp: string): Promise<string> {
  const { realm, alias, providerId } = provider;
  const origin = { realm, actor: systemActor(realm, `identity provider ${alias}`), sourceIp };
  for (let tries = 1; ; tries++) {
    const username = await freeUsername(parts.db, provider, identity, tries > 1);
    try {
      return await parts.work.transact(origin, (ctx) => insertAccount(ctx, provider, identity, username));
    } catch (error) {
      const linked = await findLinkedUser(parts.db, realm, providerId, identity.subject);
      if (linked !== null) return linked.userId;
      const isTaken = error instanceof AppError && error.code === userErrors.login_name_taken().code;
      if (!isTaken || tries === TRIES) throw error;
    }
  }
}

async function insertAccount(ctx: Ctx, provider: ProviderSnapshot, identity: BrokeredIdentity, username: string): Promise<string> {
  const { protocol, alias, providerId } = provider;
  const { email, subject } = identity;
  const emailVerified = isTrustedAddress(provider, identity);
  const input = { username, email, emailVerified };
  const { userId } = await createUser(ctx, input, emailVerified ? "confirmed" : "unconfirmed", sourceOf(protocol, alias));
  const actor = { id: userId, name: username };
  await addLink(ctx, alias, { providerId, subject, userId, username: identity.username }, actor);
  await applyMapping(ctx, provider, identity, userId, true);
  ctx.audit({ category: "AUTHN", type: "REGISTER", actor, detail: alias });
  // What the provider did not say is asked of them.
  if (email === null || identity.firstName === null || identity.lastName === null)
    await addRequiredAction(ctx.tx, ctx.realm, userId, "UPDATE_PROFILE");
  return userId;
}

/** By the provider's template, or as the provider calls them; with a number where that is taken. A name never takes over another's. */
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
  // A name in the form of an address that is not verified as theirs could be the address of another user.
  const plain = wanted !== null && isMailShaped(wanted) && !isOwn ? wanted.replace(/@.*$/su, "") : wanted;
  const name = clean(plain ?? "") || `${alias}-${randomToken().slice(0, 8)}`;
  for (const candidate of isLast ? [] : [name, `${name}-2`, `${name}-3`, `${name}-4`])
    if (!(await findUserByLogin(db, realm, candidate))) return candidate;
  return `${name}-${randomToken().slice(0, 8)}`;
}

/** What a username may hold, and as much of it as leaves room for a number. */
const clean = (name: string): string =>
  cut(
    name
      .normalize("NFC")
      .replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]+/gu, ".")
      .replace(/^\.+|\.+$/g, ""),
    200,
  );
