import type { Section } from "../section.ts";
import { agents } from "./agents.ts";
import { authorization } from "./authorization.ts";
import { clients } from "./clients.ts";
import { flows } from "./flows.ts";
import { groups } from "./groups.ts";
import { identityProviders } from "./identity-providers.ts";
import { keys } from "./keys.ts";
import { messageTemplates, messagingProviders, webhooks } from "./notifications.ts";
import { organizations } from "./organizations.ts";
import { images, provisioning, settings, subjectClaim } from "./realm.ts";
import { roles } from "./roles.ts";
import { samlClients } from "./saml-clients.ts";
import { scimTargets } from "./scim-targets.ts";
import { claims, clientScopes } from "./scopes.ts";
import { workloadIdentity } from "./workload-identity.ts";

/** The sections in the order in which an import creates items. An item may name items of earlier sections, and in `link` also those of later ones. */
export const sections: readonly Section[] = [
  settings,
  images,
  roles,
  claims,
  clientScopes,
  groups,
  flows,
  clients,
  workloadIdentity,
  agents,
  authorization,
  identityProviders,
  organizations,
  samlClients,
  subjectClaim,
  provisioning,
  scimTargets,
  webhooks,
  messagingProviders,
  messageTemplates,
  keys,
];
