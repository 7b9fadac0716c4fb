import { errors, type KoaContextWithOIDC, Provider } from "oidc-provider";
import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock, SECOND } from "../../kernel/clock.ts";
import { systemActor } from "../../platform/context.ts";
import { snapshotOf } from "./client.ts";
import { machineDefaults } from "./client-credentials.ts";
import { requestOf } from "./error-page.ts";
import type { RealmParts } from "./parts.ts";

// The same for the machines that the engine serves: those with keys, certificates, DPoP, resources.

/** Realm setting `auditClientLogins`. Stored before the token leaves. */
export const tellClientLogin = (
  { work, realm }: RealmParts,
  { id, clientId, realmId }: ClientSnapshot,
  sourceIp: string | null,
): Promise<void> =>
  work.transact({ realm: realm.realmId, actor: systemActor(realmId), sourceIp }, async (ctx) =>
    ctx.audit({ category: "AUTHN", type: "CLIENT_LOGIN", actor: { id, name: clientId }, resourceType: "clients", resourceId: id }),
  );

interface MachineToken {
  readonly client: Parameters<typeof snapshotOf>[0];
  readonly exp?: number;
  readonly expiration: number;
  save(ttl?: number): Promise<string>;
}

export function watchMachines(provider: Provider, parts: RealmParts): void {
  giveDefaults(provider, parts);
  noteTokens(provider, parts);
  noteRefusals(provider, parts);
}

/** A machine that names no scope. */
function giveDefaults(provider: Provider, { scopesOfRealm }: RealmParts): void {
  const context = provider.OIDCContext.prototype as unknown as {
    params?: { grant_type?: string; scope?: string | undefined };
    entity(this: typeof context, key: string, value: unknown): void;
  };
  const { entity } = context;
  context.entity = function (key, value) {
    entity.call(this, key, value);
    if (key === "Client" && this.params?.grant_type === "client_credentials")
      this.params.scope ??= machineDefaults(scopesOfRealm, snapshotOf(value as MachineToken["client"])) || undefined;
  };
}

function noteTokens(provider: Provider, parts: RealmParts): void {
  const model = provider.ClientCredentials.prototype as unknown as MachineToken;
  const { save } = model;
  model.save = async function (this: MachineToken, ttl) {
    const token = await save.call(this, ttl);
    const client = snapshotOf(this.client);
    const { ctx } = Provider;
    const ip = (ctx && requestOf(ctx)?.ip) ?? null;
    if (parts.realm.settings.auditClientLogins) await tellClientLogin(parts, client, ip);
    parts.activity.issued(client, ip, clock.now() + this.expiration * SECOND);
    return token;
  };
}

const REFUSALS = [
  "grant.error",
  "introspection.error",
  "revocation.error",
  "pushed_authorization_request.error",
  "device_authorization.error",
  "backchannel_authentication.error",
] as const;

/** CLIENT_LOGIN_FAILURE, wherever a client has to prove who it is. */
function noteRefusals(provider: Provider, { activity, realm }: RealmParts): void {
  const note = (ctx: KoaContextWithOIDC, error: Error) => {
    if (!(error instanceof errors.InvalidClientAuth)) return;
    const { client } = ctx.oidc;
    activity.refused({
      realm: realm.realmId,
      clientId: client?.clientId ?? claimedId(ctx),
      id: client ? snapshotOf(client).id : null,
      sourceIp: requestOf(ctx)?.ip ?? null,
    });
  };
  for (const name of REFUSALS) provider.on(name as "grant.error", note);
}

/** Whom somebody says to be who is nobody here. */
function claimedId(ctx: KoaContextWithOIDC): string {
  const inForm = ctx.oidc.params?.client_id;
  if (typeof inForm === "string") return inForm;
  const [, encoded = ""] = /^basic (.+)$/i.exec(ctx.get("authorization")) ?? [];
  return Buffer.from(encoded, "base64").toString("utf8").split(":")[0] ?? "";
}
