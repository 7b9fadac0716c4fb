import { lookup } from "node:dns/promises";
import { access, constants } from "node:fs/promises";
import { isIP } from "node:net";
import { connect } from "node:tls";
import { Redis } from "ioredis";
import { clock, DAY } from "../../kernel/clock.ts";
import { isLoopbackName } from "../../kernel/loopback.ts";
import { parseMasterKey } from "../../kernel/vault.ts";
import { readPlaces } from "../../platform/places.ts";
import { type Check, type Finding, ok, problem, TIMEOUT_MS, warning } from "./check.ts";

export const checkBaseUrl: Check = async ({ baseUrl, mode }) => {
  const url = new URL(baseUrl);
  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  try {
    const { address } = await lookup(hostname);
    const resolved = ok("base URL", `${baseUrl} resolves to ${address}`);
    if (url.protocol === "https:") return [resolved, await checkCertificate(hostname, Number(url.port || 443))];
    if (mode === "production" || isLoopbackName(hostname)) return [resolved];
    return [warning("base URL", `${baseUrl} is not encrypted.`, "Put a proxy with TLS in front before others use it.")];
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    return [problem("base URL", `${hostname} does not resolve (${code}).`, "Correct GATEHOUSE_BASE_URL, or add the name to DNS.")];
  }
};

const EXPIRES_SOON = 14 * DAY;

function checkCertificate(host: string, port: number): Promise<Finding> {
  const name = "TLS certificate";
  return new Promise((resolve) => {
    // A certificate that is not trusted is accepted here, in order to say what is wrong with it. Nothing is sent.
    const socket = connect({ host, port, ...(isIP(host) === 0 && { servername: host }), rejectUnauthorized: false, timeout: TIMEOUT_MS });
    const finish = (finding: Finding) => {
      socket.destroy();
      resolve(finding);
    };
    const unreachable = (why: string) =>
      finish(
        warning(
          name,
          `Nothing could be read at ${host}:${port} (${why}).`,
          "Start the proxy that serves the base URL, or check that this machine reaches it.",
        ),
      );
    socket.once("timeout", () => unreachable("no answer"));
    socket.once("error", (error: NodeJS.ErrnoException) => unreachable(error.code ?? error.message));
    socket.once("secureConnect", () => {
      const expires = Date.parse(socket.getPeerCertificate().valid_to);
      const day = new Date(expires).toISOString().slice(0, 10);
      if (expires <= clock.now()) finish(problem(name, `It expired on ${day}.`, "Renew it."));
      else if (expires - clock.now() < EXPIRES_SOON)
        finish(warning(name, `It expires on ${day}.`, "Renew it soon, and check the automatic renewal."));
      else if (!socket.authorized)
        finish(
          warning(
            name,
            `It is not trusted by this machine (${socket.authorizationError}).`,
            "This is fine if your clients trust the authority that issued it. Otherwise get a certificate from a public authority.",
          ),
        );
      else finish(ok(name, `valid until ${day}`));
    });
  });
}

export const checkRedis: Check = async ({ redisUrl }) => {
  if (redisUrl === null) return [ok("redis", "not configured; rate limits count per process")];
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  let failure: NodeJS.ErrnoException | undefined;
  // ioredis rejects with "Connection is closed"; the actual reason comes with this event.
  redis.on("error", (error) => {
    failure = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    return [ok("redis", "answers")];
  } catch (error) {
    const { code, message } = failure ?? (error as NodeJS.ErrnoException);
    return [problem("redis", `Redis does not answer (${code ?? message}).`, "Start it, or correct REDIS_URL.")];
  } finally {
    redis.disconnect();
  }
};

export const checkMasterKey: Check = async ({ masterKey, masterKeyPrevious }) => {
  if (masterKey === null) return [ok("master key", "kept in the data folder of the embedded database")];
  const previous = masterKeyPrevious.length === 0 ? "" : `, ${masterKeyPrevious.length} previous`;
  // A readable word can be valid base64 of the right length, but random bytes hardly ever repeat this much.
  const { bytes, id } = parseMasterKey(masterKey);
  if (new Set(bytes).size >= 16) return [ok("master key", `key ${id}${previous}`)];
  return [
    warning(
      "master key",
      "The master key does not look random.",
      "Generate one with: openssl rand -base64 32, then run: gatehouse key rewrap",
    ),
  ];
};

export const checkGeoipFile: Check = async ({ geoipFile }) => {
  if (geoipFile === null) return [];
  try {
    const { type, builtAt } = readPlaces(geoipFile);
    return [ok("places", `${geoipFile}: ${type}, made ${builtAt.toISOString().slice(0, 10)}`)];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advice = "Correct GATEHOUSE_GEOIP_FILE: it is a file in MaxMind's format (mmdb), such as GeoLite2-City.mmdb.";
    return [problem("places", `${geoipFile} cannot be read (${code ?? message}).`, advice)];
  }
};

export const checkBreachCorpus: Check = async ({ breachCorpus }) => {
  if (breachCorpus === null || /^https?:/i.test(breachCorpus)) return [];
  try {
    await access(breachCorpus, constants.R_OK | constants.X_OK);
    return [ok("breach corpus", breachCorpus)];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [problem("breach corpus", `${breachCorpus} cannot be read (${code}).`, "Correct GATEHOUSE_BREACH_CORPUS.")];
  }
};
