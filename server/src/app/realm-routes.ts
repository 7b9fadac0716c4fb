import type { Core } from "../core.ts";
import { type App, answerProblem } from "../platform/http/index.ts";
import { accountAudience, accountConsoleRoutes, accountRoutes } from "../protocols/account/index.ts";
import { authzenRoutes, protectionAudience, protectionRoutes, sendAccessError } from "../protocols/authorization/index.ts";
import { delegationAudience, delegationRoutes } from "../protocols/delegation/index.ts";
import { guardRealmRoutes, sendOAuthError } from "../protocols/gate/index.ts";
import { keycloakPathRoutes } from "../protocols/keycloak-paths/index.ts";
import { createLogoutRequests, oidcRoutes, userinfoAudience } from "../protocols/oidc/index.ts";
import { registrationRoutes, sendRegistrationError } from "../protocols/registration/index.ts";
import { createSingleLogout, samlRoutes } from "../protocols/saml/index.ts";
import { scimRoutes, scimTokens, sendScimError } from "../protocols/scim/index.ts";
import { transactionAudience, transactionRoutes } from "../protocols/transactions/index.ts";
import { workloadTokenRoutes } from "../protocols/workload/index.ts";
import { createDeviceProver, enrollmentRoutes, pushRoutes, qrRoutes } from "../signin/enrolled-devices/index.ts";
import { impersonationPages } from "../signin/impersonation/index.ts";
import { invitationPageRoutes } from "../signin/invitations/index.ts";
import { loginRoutes } from "../signin/login/index.ts";
import { mailboxRoutes } from "../signin/mailbox/index.ts";
import { selfRegistrationRoutes } from "../signin/self-registration/index.ts";
import { changePasswordRoutes, mailLinkRoutes, resetRoutes } from "../signin/self-service/index.ts";
import { createImageSender } from "../tenancy/images/index.ts";
import { publicRealmRoutes } from "../tenancy/realms/index.ts";
import { limitsOf } from "./limits.ts";
import type { Services } from "./services.ts";

/** Registers everything below `/realms/{realm}`, behind the protocol gate. */
export async function registerRealmRoutes(app: App, core: Core, services: Services): Promise<void> {
  const { db, work, realms, vault, hasher, metrics, log } = core;
  const { baseUrl } = core.config;
  const { breaches, brokers, clients, cookies, flows, issuers, messages, outbound, provisioning, scopes, standings, visitors } = services;
  const { directoryPasswords, entryChecks, limiter, mailbox, places, samlClients, signingKeys, sources, subjectOf, upgrades } = services;
  await app.register(
    async (realm) => {
      const gate = guardRealmRoutes(realm as never, gateParts(core, services));
      await realm.register(publicRealmRoutes, { realms, sendImage: createImageSender(db) });

      const signIn = {
        ...{
          brokers,
          db,
          work,
          metrics,
          baseUrl,
          sources,
          directoryPasswords,
          entryChecks,
          upgrades,
          vault,
          hasher,
          breaches,
          messages,
          places,
          log,
        },
      };
      const logoutRequests = createLogoutRequests(issuers);
      const singleLogout = createSingleLogout({ db, samlClients });
      await realm.register(loginRoutes, {
        ...signIn,
        flows,
        visitors,
        logoutRequests,
        singleLogout,
      });
      const pages = { db, work, visitors, messages, baseUrl };
      await realm.register(resetRoutes, pages);
      await realm.register(mailLinkRoutes, { ...pages, clients, flows });
      await realm.register(changePasswordRoutes, pages);
      await realm.register(selfRegistrationRoutes, { ...pages, vault, hasher, breaches, flows });
      await realm.register(oidcRoutes, { db, work, visitors, issuers, messages });
      await realm.register(workloadTokenRoutes, { issuers });
      await realm.register(protectionRoutes, { prefix: "/authz/protection", resourceServers: services.resourceServers, baseUrl });
      await realm.register(authzenRoutes, { prefix: "/access/v1", resourceServers: services.resourceServers });
      await realm.register(delegationRoutes, { issuers });
      const saml = { ...signIn, realms, samlClients, signingKeys, flows, visitors, limiter };
      await realm.register(samlRoutes, { ...saml, logoutFrames: logoutRequests.frames });
      await realm.register(impersonationPages, { db, work, realms, visitors });

      const devices = { db, work, visitors, clients, samlClients, baseUrl };
      await realm.register(enrollmentRoutes, { prefix: "/device", ...devices, vault });
      await realm.register(pushRoutes, { ...devices, standings });
      await realm.register(qrRoutes, devices);
      await realm.register(transactionRoutes, { ...devices, ...signIn, flows, signingKeys, subjectOf, standings });

      const account = {
        db,
        work,
        cookies,
        hasher,
        breaches,
        directoryPasswords,
        vault,
        messages,
        log,
        baseUrl,
        providers: brokers.providers,
        tools: brokers.tools,
      };
      await realm.register(accountRoutes, { prefix: "/account", ...account });
      await realm.register(accountConsoleRoutes, { prefix: "/account", ...account, visitors, scopes, places });
      const registration = { db, work, vault, realms, scopes, outbound, provisioning, baseUrl, mtlsBaseUrl: services.mtlsBaseUrl };
      await realm.register(registrationRoutes, { prefix: "/connect/register", ...registration });
      await realm.register(scimRoutes, { prefix: "/scim/v2", realms, hasher, breaches, directoryPasswords, provisioning, baseUrl });
      await realm.register(invitationPageRoutes, { db, work, metrics, visitors, hasher, breaches, standings });
      if (mailbox !== null) await realm.register(mailboxRoutes, { mailbox, visitors, baseUrl });
      await realm.register(keycloakPathRoutes, { prefix: "/protocol/openid-connect", root: app, issuers, singleLogout });
      gate.answerPreflights();
    },
    { prefix: "/realms/:realm" },
  );
}

/** Returns the parts with which the gate enforces declarations: the audiences, limits and forms of errors that routes name. */
function gateParts({ db, work, realms, metrics, config: { baseUrl } }: Core, services: Services) {
  const { clients, csrf, cookies, flows, issuers, limiter, mtlsBaseUrl, standings, tlsClientCertHeader, visitors } = services;
  return {
    ...{
      db,
      work,
      realms,
      metrics,
      clients,
      csrf,
      cookies,
      flows,
      standings,
      visitors,
      issuers,
      baseUrl,
      mtlsBaseUrl,
      tlsClientCertHeader,
    },
    devices: createDeviceProver({ db, baseUrl }),
    audiences: {
      account: accountAudience,
      delegation: delegationAudience,
      protection: protectionAudience,
      transactions: transactionAudience,
      userinfo: userinfoAudience,
    },
    tokens: { scim: scimTokens(db) },
    limits: limitsOf(limiter, realms),
    errors: errorFormsOf(services),
  };
}

/** Returns the renderer of each form of errors. */
export const errorFormsOf = ({ visitors }: Pick<Services, "visitors">) => ({
  page: visitors.showFailure,
  problem: answerProblem,
  oauth: sendOAuthError,
  registration: sendRegistrationError,
  scim: sendScimError,
  authzen: sendAccessError,
});
