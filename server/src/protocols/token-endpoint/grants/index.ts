// The grant types of the token endpoint, one file each.
import type { Grant } from "../grant.ts";
import { authorizationCode } from "./authorization-code.ts";
import { ciba } from "./ciba.ts";
import { clientCredentials } from "./client-credentials.ts";
import { deviceCode } from "./device-code.ts";
import { password } from "./password.ts";
import { refreshToken } from "./refresh-token.ts";
import { tokenExchange } from "./token-exchange.ts";

const all = [authorizationCode, refreshToken, clientCredentials, password, deviceCode, ciba, tokenExchange];

export const grants: ReadonlyMap<string, Grant> = new Map((all as Grant[]).map((grant) => [grant.type, grant]));
