// SAML service providers that sign in at a realm.
export type { NameIdKind, SamlClientOptions, SamlClientSnapshot, SamlClients, SamlMapper } from "./snapshot.ts";
