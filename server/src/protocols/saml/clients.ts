import type { SamlClientSnapshot, SamlClients } from "../../applications/saml-clients/index.ts";
import { Refusal } from "./refusals.ts";

/** A registered service provider that may use the realm. */
export async function clientOf(
  { samlClients }: { readonly samlClients: SamlClients },
  realm: string,
  entityId: string | null,
): Promise<SamlClientSnapshot> {
  if (entityId === null) throw new Refusal("issuer", "The message does not say who sent it");
  const client = await samlClients.get(realm, entityId);
  if (!client) throw new Refusal("unknown_client", "No such service provider is registered", entityId);
  if (!client.enabled) throw new Refusal("disabled_client", "The service provider is disabled", entityId);
  return client;
}
