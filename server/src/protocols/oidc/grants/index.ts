// Grant types that the engine does not bring. Each file exports one function that registers its own.
import type { Provider } from "oidc-provider";
import type { RealmParts } from "../parts.ts";
import { awayGrants } from "./away.ts";
import { limitDeviceRequests } from "./device-requests.ts";
import { passwordGrant } from "./password.ts";
import { tokenExchangeGrant } from "./token-exchange.ts";

export type RegisterGrant = (provider: Provider, parts: RealmParts) => void;

const grants: readonly RegisterGrant[] = [passwordGrant, tokenExchangeGrant, awayGrants, limitDeviceRequests];

export function registerGrants(provider: Provider, parts: RealmParts): void {
  for (const register of grants) register(provider, parts);
}
