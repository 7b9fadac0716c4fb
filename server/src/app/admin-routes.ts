import { agentRoutes } from "../applications/agents/index.ts";
import { applicationRoutes } from "../applications/applications/index.ts";
import { authorizationRoutes } from "../applications/authorization/index.ts";
import { claimRoutes } from "../applications/claims/index.ts";
import { clientScopeRoutes } from "../applications/client-scopes/index.ts";
import { clientRoutes } from "../applications/clients/index.ts";
import { samlClientRoutes } from "../applications/saml-clients/index.ts";
import { subjectClaimRoutes } from "../applications/subject-claim/index.ts";
import { workloadRoutes } from "../applications/workload-credentials/index.ts";
import type { Core } from "../core.ts";
import { groupRoutes, userGroupRoutes } from "../directory/groups/index.ts";
import { userImportRoutes } from "../directory/import/index.ts";
import { organizationRoutes, userOrganizationRoutes } from "../directory/organizations/index.ts";
import { passwordSourceRoutes } from "../directory/password-source/index.ts";
import { adminRoleRoutes, assertMayControl, roleRoutes } from "../directory/roles/index.ts";
import { requiredActionRoutes, userCredentialRoutes, userRoutes } from "../directory/users/index.ts";
import { identityProviderRoutes, importedLinks, userFederationRoutes, userLinkRoutes, userSourceRoutes } from "../federation/index.ts";
import { adminPreflightRoutes, guardAdminRoutes } from "../operations/admin-gate/index.ts";
import { bulkRoutes } from "../operations/bulk/index.ts";
import { whoAmIRoutes } from "../operations/console/index.ts";
import { externalImportRoutes } from "../operations/external-import/index.ts";
import { gdprRoutes } from "../operations/gdpr/index.ts";
import { metricsSummaryRoutes, realmMonitoringRoutes } from "../operations/monitoring/index.ts";
import { scimTargetRoutes } from "../operations/scim-targets/index.ts";
import { transferRoutes } from "../operations/transfer/index.ts";
import type { App } from "../platform/http/index.ts";
import { serviceAccountSessionRoutes } from "../protocols/client-auth/index.ts";
import { previewRoutes } from "../protocols/oidc/index.ts";
import { provisioningRoutes } from "../protocols/registration/index.ts";
import { scimTokenRoutes } from "../protocols/scim/index.ts";
import { authenticatorRoutes, browserFlowRoutes, flowRoutes } from "../signin/flows/index.ts";
import { impersonateRoutes } from "../signin/impersonation/index.ts";
import { actionsEmailRoutes } from "../signin/self-service/index.ts";
import { sessionRoutes, userSessionRoutes } from "../signin/sessions/index.ts";
import { auditConfigRoutes, eventRoutes } from "../tenancy/audit/index.ts";
import { brandDraftRoutes } from "../tenancy/brand-drafts/index.ts";
import { imageRoutes } from "../tenancy/images/index.ts";
import { keyRoutes } from "../tenancy/keys/index.ts";
import { providerRoutes, pushTokenRoutes, templateRoutes } from "../tenancy/messaging/index.ts";
import { realmRoutes } from "../tenancy/realms/index.ts";
import { settingsRoutes } from "../tenancy/settings/index.ts";
import { webhookRoutes } from "../tenancy/webhooks/index.ts";
import { type Services, version } from "./services.ts";

/** Registers everything below `/admin`, behind the admin gate. */
export async function registerAdminRoutes(app: App, core: Core, services: Services): Promise<void> {
  const { db, work, realms, vault, hasher, makeKeyPair, metrics } = core;
  const { baseUrl } = core.config;
  const { adminOrigins: origins, audit, breaches, clients, cookies, csrf, flows, mtlsBaseUrl, standings, tlsClientCertHeader } = services;
  await app.register(adminPreflightRoutes, { prefix: "/admin", realms, origins });
  await app.register(
    async (admin) => {
      guardAdminRoutes(admin, {
        db,
        work,
        realms,
        csrf,
        cookies,
        flows,
        standings,
        metrics,
        origins,
        clients,
        baseUrl,
        mtlsBaseUrl,
        tlsClientCertHeader,
      });
      await admin.register(auditConfigRoutes, { prefix: "/audit", ...audit });
      await admin.register(metricsSummaryRoutes, { prefix: "/metrics" });
      await admin.register(realmRoutes, { prefix: "/realms", vault, hasher, makeKeyPair, breaches });
      await admin.register(async (realm) => registerRoutesOfRealm(realm as App, core, services), { prefix: "/realms/:realm" });
    },
    { prefix: "/admin" },
  );
}

/** Registers everything below `/admin/realms/{realm}`. */
async function registerRoutesOfRealm(realm: App, core: Core, services: Services): Promise<void> {
  const { realms, vault, hasher } = core;
  const { baseUrl, providerTimeoutMs } = core.config;
  const { breaches, clients, directoryPasswords, dns, limiter, messages, outbound, webhookOutbound } = services;
  await realm.register(userImportRoutes, { prefix: "/users/import", hasher, breaches, realms, vault, links: importedLinks });
  await realm.register(bulkRoutes, { prefix: "/users/bulk", work: core.work });
  await realm.register(passwordSourceRoutes, { prefix: "/password-source", vault, outbound });
  await realm.register(userRoutes, { prefix: "/users", hasher, breaches, realms });
  await realm.register(impersonateRoutes, { prefix: "/users", baseUrl });
  await realm.register(gdprRoutes, { prefix: "/users" });
  await realm.register(userCredentialRoutes, { prefix: "/users", hasher, breaches, directoryPasswords, realms });
  await realm.register(requiredActionRoutes, { prefix: "/users" });
  await realm.register(actionsEmailRoutes, { prefix: "/users", messages, clients, realms, baseUrl });
  await realm.register(userGroupRoutes, { prefix: "/users" });
  await realm.register(userOrganizationRoutes, { prefix: "/users" });
  await realm.register(userSessionRoutes, { prefix: "/users" });
  await realm.register(userLinkRoutes, { prefix: "/users" });
  await realm.register(userSourceRoutes, { prefix: "/users", ...services.directoryParts });
  await realm.register(groupRoutes, { prefix: "/groups" });
  await realm.register(organizationRoutes, { prefix: "/organizations", messages, baseUrl, dns, limiter });
  await realm.register(roleRoutes, { prefix: "/roles" });
  await realm.register(adminRoleRoutes, { prefix: "/admin-roles" });
  await realm.register(applicationRoutes, { prefix: "/applications", vault, baseUrl });
  await realm.register(clientScopeRoutes, { prefix: "/client-scopes" });
  await realm.register(claimRoutes, { prefix: "/claims" });
  await realm.register(subjectClaimRoutes, { prefix: "/subject-claim" });
  await realm.register(provisioningRoutes, { prefix: "/provisioning" });
  await realm.register(scimTokenRoutes, { prefix: "/provisioning/scim-tokens", baseUrl });
  await realm.register(scimTargetRoutes, { prefix: "/scim-targets", vault, outbound });
  await realm.register(clientRoutes, { prefix: "/clients", vault, baseUrl });
  await realm.register(agentRoutes, { prefix: "/agents", baseUrl });
  await realm.register(previewRoutes, { prefix: "/clients/:clientId/preview", issuers: services.issuers });
  await realm.register(workloadRoutes, { prefix: "/workload-identity", baseUrl });
  await realm.register(authorizationRoutes, { prefix: "/clients/:clientId/authz", servers: services.resourceServers });
  await realm.register(samlClientRoutes, { prefix: "/saml-clients", baseUrl, outbound });
  await realm.register(flowRoutes, { prefix: "/flows" });
  await realm.register(browserFlowRoutes, { prefix: "/flow" });
  await realm.register(authenticatorRoutes, { prefix: "/authenticators" });
  const { refresh: readMetadata, entityOf: readEntity } = services.brokers.tools.saml.upstreams;
  const providerParts = { vault, outbound, baseUrl, limiter, readMetadata, readEntity, providerTimeoutMs };
  await realm.register(identityProviderRoutes, { prefix: "/identity-providers", ...providerParts });
  await realm.register(userFederationRoutes, {
    prefix: "/user-federation",
    ...{ ...services.directoryParts, ...core.background },
  });
  await realm.register(settingsRoutes, { prefix: "/settings", baseUrl });
  await realm.register(brandDraftRoutes, { prefix: "/settings/draft" });
  await realm.register(imageRoutes, { prefix: "/settings/images" });
  await realm.register(keyRoutes, { prefix: "/keys", vault });
  await realm.register(sessionRoutes, { prefix: "/sessions" });
  await realm.register(serviceAccountSessionRoutes, { prefix: "/sessions" });
  await realm.register(eventRoutes, { prefix: "/events" });
  await realm.register(webhookRoutes, { prefix: "/webhooks", vault, outbound: webhookOutbound });
  await realm.register(providerRoutes, { prefix: "/messaging/providers", vault, outbound, limiter });
  await realm.register(templateRoutes, { prefix: "/messaging/templates", baseUrl });
  await realm.register(pushTokenRoutes, { prefix: "/messaging/push-tokens", vault, assertMayControl });
  await realm.register(realmMonitoringRoutes, { realms, baseUrl });
  await realm.register(whoAmIRoutes, { realms, messages, version, developmentMode: core.config.mode === "development" });
  const transferParts = { vault, outbound, webhookOutbound, baseUrl, readEntity, hasher, breaches, realms };
  await realm.register(transferRoutes, transferParts);
  await realm.register(externalImportRoutes, transferParts);
}
