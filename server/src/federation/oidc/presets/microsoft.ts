import Type from "typebox";
import { oidcKind } from "../config.ts";
import { claimText, isTrue, standard } from "../quirks.ts";

/** The tenant of personal accounts. */
const CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad";
const TENANT = "^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|common|organizations|consumers)$";
const tenantId = Type.String({ pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", description: "the id of a tenant, in lower case" });

export const microsoft = oidcKind({
  members: {
    tenant: Type.Optional(
      Type.String({ pattern: TENANT, description: "the id of a tenant, or common, organizations or consumers. Default common" }),
    ),
    allowedTenants: Type.Optional(
      Type.Array(tenantId, {
        maxItems: 1000,
        uniqueItems: true,
        description: "The tenants whose users can sign in. If empty, users of all tenants",
      }),
    ),
  },
  defaults: {
    scopes: ["openid", "email", "profile"],
    tenant: "common",
    allowedTenants: [],
    issuer: "https://login.microsoftonline.com/{tenant}/v2.0",
    authorizationUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize",
    tokenUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
    jwksUrl: "https://login.microsoftonline.com/{tenant}/discovery/v2.0/keys",
  },
  mark: [
    { d: "M3 3h8.4v8.4H3Z", fill: "#e8552f" },
    { d: "M12.6 3H21v8.4h-8.4Z", fill: "#7cb518" },
    { d: "M3 12.6h8.4V21H3Z", fill: "#1a8fe3" },
    { d: "M12.6 12.6H21V21h-8.4Z", fill: "#f2b01e" },
  ],
  quirks: {
    ...standard,
    // All tenants share the same keys. The issuer, which contains the tenant of the token, tells them apart.
    issuer: ({ config }, { tid }) => String(config.issuer).replaceAll("{tenant}", () => String(tid)),
    subject: ({ tid, oid }) => (claimText(tid) === null || claimText(oid) === null ? null : `${tid}/${oid}`),
    // An administrator of any tenant can write any address into `email` (nOAuth), so only `xms_edov` counts.
    isVerified: ({ xms_edov: edov }) => isTrue(edov) || edov === 1 || edov === "1",
    refuse: ({ config }, { tid }) => (isAllowedTenant(config, String(tid)) ? null : "tenant"),
  },
});

function isAllowedTenant(config: Readonly<Record<string, unknown>>, tid: string): boolean {
  const { tenant, allowedTenants } = config as { tenant: string; allowedTenants: readonly string[] };
  if (allowedTenants.length > 0 && !allowedTenants.includes(tid)) return false;
  if (tenant === "common") return true;
  if (tenant === "organizations") return tid !== CONSUMERS;
  return tid === (tenant === "consumers" ? CONSUMERS : tenant);
}
