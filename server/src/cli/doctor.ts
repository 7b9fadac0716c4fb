import { type Config, ConfigError, loadConfig } from "../config.ts";
import type { Command, Invocation } from "./command.ts";
import { type Check, type Finding, ok, problem, type Severity } from "./doctor/check.ts";
import { checkDatabase } from "./doctor/database.ts";
import { checkClock, checkDataDir, checkDisk, checkNode, checkPort } from "./doctor/machine.ts";
import { checkBaseUrl, checkBreachCorpus, checkGeoipFile, checkMasterKey, checkRedis } from "./doctor/services.ts";

const checks: readonly Check[] = [
  checkDataDir,
  checkDisk,
  checkPort,
  checkBaseUrl,
  checkMasterKey,
  checkDatabase,
  checkRedis,
  checkBreachCorpus,
  checkGeoipFile,
];

/** Checks everything that can keep a server from starting or serving well. Problems make it fail, warnings do not. */
export const run: Command = async (call) => {
  const { config, findings: read } = readConfig(call);
  const looked = config ? await Promise.all(checks.map((check) => examine(check, config))) : [];
  const findings = [checkNode(), checkClock(), ...read, ...looked.flat()];
  const problems = findings.filter(({ severity }) => severity === "problem").length;
  const warnings = findings.filter(({ severity }) => severity === "warning").length;
  const summary = `Found ${count(problems, "problem")} and ${count(warnings, "warning")}.`;
  call.print({ ok: problems === 0, findings }, [...findings.map(line), "", summary].join("\n"));
  return problems === 0 ? 0 : 1;
};

function readConfig(call: Invocation): { config: Config | null; findings: Finding[] } {
  try {
    const config = loadConfig({ flags: call.options });
    return { config, findings: [ok("configuration", `${config.mode}, ${config.databaseUrl ? "Postgres" : "embedded database"}`)] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const advice = "Correct it, then look at the result with: gatehouse config print";
    const findings = error.problems.map(({ setting, source, message }) =>
      problem("configuration", `${setting} (${source}): ${message}`, advice),
    );
    return { config: null, findings };
  }
}

/** Runs a check. One that throws must not hide the findings of the others. */
async function examine(check: Check, config: Config): Promise<readonly Finding[]> {
  try {
    return await check(config);
  } catch (error) {
    return [problem(check.name, `The check itself failed: ${(error as Error).message}`, "Please report this.")];
  }
}

const MARK: Readonly<Record<Severity, string>> = { ok: "ok     ", warning: "WARNING", problem: "PROBLEM" };

const line = ({ check, severity, message, advice }: Finding): string =>
  `${MARK[severity]}  ${check}: ${message}${advice === undefined ? "" : `\n         ${advice}`}`;

const count = (number: number, noun: string): string => `${number === 0 ? "no" : number} ${noun}${number === 1 ? "" : "s"}`;
