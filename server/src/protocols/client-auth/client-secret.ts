import type { ClientSnapshot } from "../../applications/clients/index.ts";
import { clock } from "../../kernel/clock.ts";
import { safeEqual } from "../../kernel/vault.ts";

/** Both secrets are valid while a rotation overlaps. */
export function currentSecrets({ secrets }: ClientSnapshot): ClientSnapshot["secrets"] {
  const now = clock.now();
  return secrets.filter(({ until }) => until === null || until > now);
}

const BY_SECRET: ReadonlySet<string> = new Set(["client_secret", "client_secret_basic", "client_secret_post"]);

/** RFC 6749 §2.3.1: by header or by form, where the client is registered for one of them alone. */
const takesSecret = ({ settings: { authMethod } }: ClientSnapshot, byHeader: boolean): boolean =>
  BY_SECRET.has(authMethod) && authMethod !== (byHeader ? "client_secret_post" : "client_secret_basic");

export const isSecretOf = (client: ClientSnapshot, secret: string, byHeader: boolean): boolean =>
  takesSecret(client, byHeader) && currentSecrets(client).some(({ value }) => safeEqual(value, secret));
