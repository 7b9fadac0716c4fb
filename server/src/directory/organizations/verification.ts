import { clock } from "../../kernel/clock.ts";
import { type Ctx, systemActor } from "../../platform/context.ts";
import type { Db } from "../../platform/db/index.ts";
import type { Dns } from "../../platform/dns/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import { expectVersion } from "../../platform/versions.ts";
import { type DomainRow, normalDomain, recordOf, shownDomain } from "./domains.ts";
import { organizationErrors } from "./errors.ts";
import type { OrganizationDomain } from "./schema.ts";
import { readOrganization, takeOrganization } from "./service.ts";
import {
  bumpOrganization,
  type DueDomain,
  dueDomains,
  findDomain,
  GRACE,
  markChecked,
  markVerified,
  RECHECK,
  RETRY,
  stopChecking,
} from "./verification.store.ts";

/** Finds the domain to verify and checks the expected version. The DNS query follows outside of the transaction. */
export async function domainToVerify(ctx: Ctx, orgId: string, name: string): Promise<DomainRow> {
  const { organizationId, version } = await readOrganization(ctx, orgId);
  expectVersion(ctx, version);
  const domain = normalDomain(name);
  const row = domain === null ? null : await findDomain(ctx.tx, ctx.realm, organizationId, domain);
  if (!row) throw organizationErrors.domain_not_found();
  return row;
}

/** Tells whether the TXT record is there. Returns null if the DNS did not answer. */
export async function hasRecord(dns: Dns, row: Pick<DomainRow, "domain" | "token">): Promise<boolean | null> {
  const { recordName, recordValue } = recordOf(row);
  const records = await dns.txt(recordName);
  return records === null ? null : records.some((record) => record.trim() === recordValue);
}

/** Records that the TXT record was found. */
export async function acceptVerification(ctx: Ctx, orgId: string, row: DomainRow): Promise<OrganizationDomain> {
  const { organizationId } = await takeOrganization(ctx, orgId);
  if (!(await markVerified(ctx.tx, ctx.realm, row, ctx.now))) throw organizationErrors.domain_not_found();
  if (!row.verified || row.missing_since !== null) await bumpOrganization(ctx.tx, ctx.realm, organizationId);
  if (!row.verified) recordChange(ctx, organizationId, `domain ${row.domain} verified by DNS`);
  return shownDomain((await findDomain(ctx.tx, ctx.realm, organizationId, row.domain))!);
}

const recordChange = (ctx: Ctx, organizationId: string, detail: string) =>
  ctx.audit({ category: "ADMIN", type: "ADMIN_UPDATE", resourceType: "organizations", resourceId: organizationId, detail });

const AT_ONCE = 10;
const MOST = 500;

interface RecheckParts {
  readonly db: Db;
  readonly work: UnitOfWork;
  readonly dns: Dns;
}

/** Checks the TXT records of verified domains again. A missing record is audited at once, but the domain stays verified for a while. */
export async function recheckDomains(parts: RecheckParts): Promise<void> {
  const due = await dueDomains(parts.db, clock.now(), MOST);
  for (let at = 0; at < due.length; at += AT_ONCE) await Promise.all(due.slice(at, at + AT_ONCE).map((row) => recheck(parts, row)));
}

async function recheck({ work, dns }: RecheckParts, row: DueDomain): Promise<void> {
  const isByDns = row.verified && row.verified_by === "dns";
  const found = isByDns ? await hasRecord(dns, row) : null;
  const realm = row.realm_id;
  await work.transact({ realm, actor: systemActor(realm, "domain verification"), sourceIp: null }, async (ctx) => {
    if (!isByDns) return stopChecking(ctx.tx, row);
    const since = row.missing_since ?? ctx.now;
    if (found === null)
      return void (await markChecked(ctx.tx, row, { checkAt: ctx.now + RETRY, missingSince: row.missing_since, verified: true }));
    if (found) {
      await markChecked(ctx.tx, row, { checkAt: ctx.now + RECHECK, missingSince: null, verified: true });
      if (row.missing_since !== null) await bumpOrganization(ctx.tx, realm, row.organization_id);
      return;
    }
    const isLost = ctx.now - since >= GRACE;
    const to = isLost
      ? { checkAt: null, missingSince: null, verified: false }
      : { checkAt: ctx.now + RETRY, missingSince: since, verified: true };
    if (!(await markChecked(ctx.tx, row, to)) || (row.missing_since !== null && !isLost)) return;
    await bumpOrganization(ctx.tx, realm, row.organization_id);
    recordChange(
      ctx,
      row.organization_id,
      isLost ? `domain ${row.domain} is no longer verified: its TXT record is gone` : `domain ${row.domain}: its TXT record is missing`,
    );
  });
}
