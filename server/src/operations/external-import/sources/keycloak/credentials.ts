import { fromBase32 } from "../../../../kernel/base32.ts";
import { isTrue, listOf, numberOf, parsedOf, recordOf, recordsOf, textOf, type Values } from "../../reading.ts";
import type { KeycloakRealm } from "./export.ts";
import { type CarriedPasskey, isPasskeyType, passkeyOf } from "./passkeys.ts";

interface CarriedApp {
  readonly type: "totp";
  readonly secret: string;
  readonly data: Record<string, unknown>;
}

export interface Credentials {
  readonly password?: string;
  readonly passwordHash?: string;
  readonly credentials: ((CarriedApp | CarriedPasskey) & { readonly createdAt?: number })[];
  readonly isTemporary: boolean;
}

const known = {
  mapped: [
    ...["type", "secretData", "credentialData", "value", "temporary", "userLabel", "createdDate"],
    // Releases before 10 wrote these.
    ...["hashedSaltedValue", "salt", "algorithm", "hashIterations", "digits", "period", "config"],
  ],
  ignored: ["id", "priority", "counter", "device"],
};

/** Translates a user's credentials: passwords by their hashes, authenticator apps and passkeys. */
export function credentialsOf(realm: KeycloakRealm, user: Values, at: string): Credentials {
  const { report } = realm;
  const found: { password?: string; passwordHash?: string } = {};
  const carried: Credentials["credentials"] = [];
  let isTemporary = false;
  for (const credential of recordsOf(user.credentials)) {
    const type = String(credential.type).toLowerCase();
    const path = `users[].credentials[${type}]`;
    report.members("users[].credentials[]", at, credential, known);
    // Since release 10, the secret and the public data are JSON in texts.
    const secret = { ...credential, ...recordOf(parsedOf(credential.secretData)) };
    const data = { ...credential, ...recordOf(parsedOf(credential.credentialData)) };
    if (type === "password") {
      isTemporary ||= isTrue(credential.temporary);
      const plain = textOf(credential.value);
      const hash =
        credential.secretData === undefined && plain !== undefined && credential.hashedSaltedValue === undefined
          ? undefined
          : hashOf(secret, data);
      if (plain !== undefined && credential.secretData === undefined) found.password = plain;
      else if (hash !== undefined) found.passwordHash = hash;
      else {
        report.unmapped(
          `${path}[${textOf(data.algorithm) ?? ""}]`,
          "Passwords of this form cannot be checked here: the user resets it",
          at,
        );
        continue;
      }
      report.mapped(path);
    } else if (type === "otp" || type === "totp") {
      const app = totpOf(secret, data, credential);
      if (app) carried.push({ ...app, ...createdAt(credential) });
      if (app) report.mapped(path);
      else report.unmapped(`${path}[${textOf(data.subType) ?? type}]`, "Only codes that count by time are carried over", at);
    } else if (isPasskeyType(type)) {
      const passkey = passkeyOf(realm, user, credential, data);
      if (typeof passkey === "string") report.unmapped(path, passkey, at);
      else {
        carried.push({ ...passkey, ...createdAt(credential) });
        report.mapped(path);
      }
    } else if (type === "password-history") report.ignored(path);
    else report.unmapped(path, "The user sets this up anew: it cannot be checked here", at);
  }
  return { ...found, credentials: carried, isTemporary };
}

function createdAt({ createdDate }: Values): { readonly createdAt?: number } {
  const at = numberOf(createdDate);
  return at !== undefined && at >= 0 ? { createdAt: at } : {};
}

const unpadded = (base64: string) => base64.replace(/={1,2}$/, "");

/** Returns the hash as a PHC string, or undefined if it cannot be checked here. */
function hashOf(secret: Values, data: Values): string | undefined {
  const value = textOf(secret.value) ?? textOf(secret.hashedSaltedValue);
  const salt = textOf(secret.salt);
  const iterations = numberOf(data.hashIterations);
  const algorithm = textOf(data.algorithm) ?? "pbkdf2";
  if (value === undefined || salt === undefined || iterations === undefined) return undefined;
  if (algorithm === "argon2") {
    const parameters = recordOf(data.additionalParameters);
    const first = (name: string) => textOf(listOf(parameters[name])[0]);
    const version = first("version") === "1.0" ? 16 : 19;
    const [type = "id", memory = "7168", lanes = "1"] = [first("type"), first("memory"), first("parallelism")];
    return `$argon2${type}$v=${version}$m=${memory},t=${iterations},p=${lanes}$${unpadded(salt)}$${unpadded(value)}`;
  }
  return /^pbkdf2(-sha(256|512))?$/.test(algorithm) ? `$${algorithm}$i=${iterations}$${salt}$${value}` : undefined;
}

/** Translates an authenticator app. The key is the text itself, unless its encoding says that it is base32. */
function totpOf(secret: Values, data: Values, credential: Values): CarriedApp | null {
  const value = textOf(secret.value);
  const [digits, period] = [numberOf(data.digits) ?? 6, numberOf(data.period) ?? 30];
  const algorithm = (textOf(data.algorithm) ?? "HmacSHA1").replace(/^Hmac/, "");
  if (value === undefined || (textOf(data.subType) ?? "totp") !== "totp" || !["SHA1", "SHA256", "SHA512"].includes(algorithm)) return null;
  const key = data.secretEncoding === "BASE32" || secret.secretEncoding === "BASE32" ? fromBase32(value) : Buffer.from(value);
  if (!key || digits < 6 || digits > 8 || period < 15 || period > 120) return null;
  return {
    type: "totp",
    secret: key.toString("base64url"),
    data: { algorithm, digits, period, label: textOf(credential.userLabel)?.slice(0, 255) ?? null },
  };
}
