import { isId } from "../../kernel/ids.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Ctx, ReadCtx } from "../../platform/context.ts";
import { refuseReadOnly } from "../../platform/full-state.ts";
import type { Page } from "../../platform/paging/index.ts";
import { expectVersion, unconditional } from "../../platform/versions.ts";
import { assertHolds } from "../../tenancy/permissions/index.ts";
import { findUserForUpdate, userErrors } from "../users/index.ts";
import { domainOfAddress } from "./domains.ts";
import { organizationErrors } from "./errors.ts";
import { deleteInvitationsOf } from "./invitations.store.ts";
import { deleteMember, findMember, listMembers, saveMember } from "./members.store.ts";
import { insertMemberByDomain } from "./providers.store.ts";
import type { Member, MemberQuery, SetMember } from "./schema.ts";
import { readOrganization } from "./service.ts";
import { shareOrganization } from "./store.ts";

declare module "../../platform/context.ts" {
  interface DomainEvents {
    /** A membership ended. The grants that came with it end, too. */
    "organization.member_removed": { readonly organizationId: string; readonly userId: string };
  }
}

export const DEFAULT_ROLE = "member";

export async function searchMembers(ctx: ReadCtx, id: string, query: MemberQuery): Promise<Page<Member>> {
  const { organizationId } = await readOrganization(ctx, id);
  return listMembers(ctx.tx, ctx.realm, organizationId, query);
}

export async function readMember(ctx: ReadCtx, id: string, userId: string): Promise<Member> {
  const { organizationId } = await readOrganization(ctx, id);
  const member = isId(userId) ? await findMember(ctx.tx, ctx.realm, { organizationId, userId }) : null;
  if (!member) throw organizationErrors.not_a_member();
  return member;
}

/** Holds an organization until commit for a change of its members or invitations, and checks the expected version. */
export async function holdOrganization(ctx: Ctx, id: string) {
  const organization = isId(id) ? await shareOrganization(ctx.tx, ctx.realm, id) : null;
  if (!organization) throw organizationErrors.not_found();
  expectVersion(ctx, organization.version);
  return organization;
}

/**
 * Adds or changes a member. A role in an organization is for applications only: it gives no permission here, so it needs no escalation check.
 * `managed` gives the organization's SCIM tokens control of the account, so it needs the same as a change of the account.
 */
export async function setMember(ctx: Ctx, id: string, userId: string, input: SetMember): Promise<void> {
  const { managed } = input ?? {};
  const { organizationId, alias } = await holdOrganization(ctx, id);
  if (!isId(userId)) throw userErrors.not_found();
  const current = await findMember(ctx.tx, ctx.realm, { organizationId, userId });
  // To undo a removal, a caller sends the member as it was before.
  if (current) refuseReadOnly(current, input ?? {}, ["userId", "username", "email", "enabled", "joinedAt"]);
  if (managed) {
    assertHolds(ctx.actor, ["manage-users"]);
    await findUserForUpdate(unconditional(ctx), userId);
  }
  const member = { organizationId, userId, role: input?.role, managed };
  const role = await saveMember(ctx.tx, ctx.realm, member, DEFAULT_ROLE, ctx.now);
  const as = managed === undefined ? role : `${role}, ${managed ? "managed" : "not managed"}`;
  recordMembership(ctx, organizationId, userId, `member added (${as})`, `+${alias} (${as})`);
}

/** An invitation that the user has not accepted yet would let them return. */
export async function removeMember(ctx: Ctx, id: string, userId: string): Promise<void> {
  const { organizationId, alias } = await holdOrganization(ctx, id);
  const left = isId(userId) && (await deleteMember(ctx.tx, ctx.realm, { organizationId, userId }));
  if (!left) throw organizationErrors.not_a_member();
  await deleteInvitationsOf(ctx.tx, ctx.realm, organizationId, userId);
  await ctx.emit("organization.member_removed", { organizationId, userId });
  recordMembership(ctx, organizationId, userId, "member removed", `-${alias}`);
}

/** Makes a user who signs in by an organization's identity provider, with an address in one of its verified domains, a member. */
export async function joinByProvider(
  ctx: Ctx,
  { email, ...by }: { readonly userId: string; readonly alias: string; readonly source: string; readonly email: string },
): Promise<void> {
  const { userId } = by;
  const domain = domainOfAddress(email);
  const joined =
    domain === null ? null : await insertMemberByDomain(ctx, { ...by, domain, addressKey: loginKey(email), role: DEFAULT_ROLE });
  if (joined) recordMembership(ctx, joined.organizationId, userId, `member added (${DEFAULT_ROLE})`, `+${joined.alias} (${DEFAULT_ROLE})`);
}

/** Writes two events. The one about the organization must not name a person, because erasing that person would not find it. */
export function recordMembership(ctx: Ctx, organizationId: string, userId: string, inOrganization: string, ofUser: string): void {
  const event = { category: "ADMIN", type: "ADMIN_UPDATE" } as const;
  ctx.audit({ ...event, resourceType: "organizations", resourceId: organizationId, detail: inOrganization });
  ctx.audit({ ...event, resourceType: "users", resourceId: userId, detail: `organizations ${ofUser}` });
}
