import { isLoopbackName } from "../kernel/loopback.ts";
import type { ConfigProblem } from "./errors.ts";
import { type SettingName, settings, type Values } from "./settings.ts";

/** The settings that were read so far. A rule reports nothing about a value that is already known to be wrong. */
export interface Reading {
  readonly values: Values;
  readonly sources: Readonly<Record<SettingName, string>>;
  isWritten(name: SettingName): boolean;
  isWrong(name: SettingName): boolean;
}

/** Checks the rules between settings. Each names the setting that has to change. */
export function checkRules(reading: Reading): ConfigProblem[] {
  return [baseUrlInProduction, masterKeyForPostgres, needs].flatMap((rule) => rule(reading));
}

function baseUrlInProduction({ values, sources, isWritten, isWrong }: Reading): ConfigProblem[] {
  if (values.mode !== "production" || isWrong("mode") || isWrong("baseUrl")) return [];
  if (!isWritten("baseUrl")) {
    const message = `production needs the address that browsers use; expected ${settings.baseUrl.kind.expected}. Set ${waysToSet("baseUrl")}.`;
    return [{ setting: "baseUrl", source: "not set", message }];
  }
  if (values.baseUrl.startsWith("https://") || isLoopbackName(new URL(values.baseUrl).hostname)) return [];
  const message = `got ${JSON.stringify(values.baseUrl)}; production expects https, except on loopback (http://localhost:8080)`;
  return [{ setting: "baseUrl", source: sources.baseUrl, message }];
}

/** Requires a master key with Postgres in every mode: nodes that share a database must share its key, so no node may invent one. */
function masterKeyForPostgres({ values, isWrong, isWritten }: Reading): ConfigProblem[] {
  if (values.databaseUrl === null || isWritten("masterKey") || isWrong("masterKey")) return [];
  const message = `a Postgres database needs a key; expected ${settings.masterKey.kind.expected}. Set ${waysToSet("masterKey")}, and keep it safe: without it the stored secrets are lost.`;
  return [{ setting: "masterKey", source: "not set", message }];
}

/** Settings that have an effect only if the other setting of the pair is set, too. */
const pairs = [
  ["listenUrl", "databaseUrl"],
  ["mtlsBaseUrl", "tlsClientCertHeader"],
  ["audit.httpToken", "audit.httpUrl"],
] as const satisfies readonly (readonly [SettingName, SettingName])[];

function needs({ values, sources, isWrong }: Reading): ConfigProblem[] {
  return pairs
    .filter(([setting, other]) => values[setting] !== null && values[other] === null && !isWrong(other))
    .map(([setting, other]) => ({
      setting,
      source: sources[setting],
      message: `has no effect without ${settings[other].env}; expected both or neither`,
    }));
}

function waysToSet(name: "baseUrl" | "masterKey"): string {
  const { env, flag, secret } = settings[name];
  return [env, ...(secret ? [`${env}_FILE`] : []), ...(flag ? [`--${flag.name}`] : []), `${name} in gatehouse.yaml`].join(" or ");
}
