import "reflect-metadata";
import { spawn } from "node:child_process";
import { webcrypto } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTls } from "node:tls";
import * as x509 from "@peculiar/x509";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { freePort, redisServerPath } from "../../../test/peers/index.mjs";
import { type Config, loadConfig } from "../../config.ts";
import { clock, DAY } from "../../kernel/clock.ts";
import { mmdbBits, mmdbFile } from "../../testing/mmdb.ts";
import { checkClock, checkDataDir, checkDisk, checkNode, checkPort } from "./machine.ts";
import { checkBaseUrl, checkBreachCorpus, checkGeoipFile, checkMasterKey, checkRedis } from "./services.ts";

let folder: string;
const open: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-doctor-"));
});
afterEach(async () => {
  clock.reset();
  for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const config = (env: Record<string, string> = {}): Config => loadConfig({ env, cwd: folder });

async function listen(server: Server): Promise<string> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return String((server.address() as AddressInfo).port);
}

describe("node and clock", () => {
  test("name an old Node a problem", () => {
    expect(checkNode()).toMatchObject({ severity: "ok" });
    expect(checkNode("24.0.0")).toMatchObject({ severity: "ok" });
    expect(checkNode("20.18.3")).toMatchObject({ severity: "problem", message: "Node 20.18.3 is too old." });
    expect(checkNode("18.20.0")).toMatchObject({ severity: "problem" });
  });

  test("name a clock before the installation a problem", () => {
    expect(checkClock()).toMatchObject({ severity: "ok" });
    clock.advance(-3650 * DAY);
    expect(checkClock()).toMatchObject({ severity: "problem" });
  });
});

describe("data folder", () => {
  test("is fine when absent or private, and nothing is left in it", async () => {
    expect(await checkDataDir(config())).toMatchObject([{ severity: "ok", message: `${join(folder, "data")} will be created` }]);
    mkdirSync(join(folder, "data"), { mode: 0o700 });
    expect(await checkDataDir(config())).toMatchObject([{ severity: "ok" }]);
    expect(readdirSync(join(folder, "data"))).toEqual([]);
  });

  test("is warned about when others can read it, and refused when it is a file", async () => {
    mkdirSync(join(folder, "data"));
    chmodSync(join(folder, "data"), 0o755);
    expect(await checkDataDir(config())).toMatchObject([{ severity: "warning", advice: `Run: chmod 700 ${join(folder, "data")}` }]);
    writeFileSync(join(folder, "file"), "");
    expect(await checkDataDir(config({ GATEHOUSE_DATA_DIR: "file" }))).toMatchObject([{ severity: "problem" }]);
  });

  // Permissions do not stop root; the kernel's own folder does.
  test.skipIf(process.platform !== "linux")("is refused when it cannot be written to", async () => {
    expect(await checkDataDir(config({ GATEHOUSE_DATA_DIR: "/proc/gatehouse" }))).toMatchObject([{ severity: "problem" }]);
  });

  test("has its disk measured", async () => {
    const [finding] = await checkDisk(config());
    expect(finding!.message).toMatch(/^\d+ MiB free at /);
  });
});

describe("port", () => {
  test("may be free or ours, not another program's", async () => {
    expect(await checkPort(config({ GATEHOUSE_PORT: String(await freePort()) }))).toMatchObject([{ severity: "ok" }]);
    const ours = await listen(createHttp((req, res) => res.writeHead(req.url === "/livez" ? 200 : 404).end()));
    expect(await checkPort(config({ GATEHOUSE_PORT: ours }))).toMatchObject([
      { severity: "ok", message: `a running server answers on 127.0.0.1:${ours}` },
    ]);
    const other = await listen(createServer((socket) => socket.destroy()));
    expect(await checkPort(config({ GATEHOUSE_PORT: other }))).toMatchObject([{ severity: "problem" }]);
  });

  test("needs an address of this machine", async () => {
    expect(await checkPort(config({ GATEHOUSE_HOST: "192.0.2.1" }))).toMatchObject([
      { severity: "problem", advice: "Choose an address of this machine (GATEHOUSE_HOST)." },
    ]);
  });
});

async function certificate(expires: number) {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  x509.cryptoProvider.set(webcrypto as Crypto);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=localhost",
    notBefore: new Date(clock.now() - 100 * DAY),
    notAfter: new Date(expires),
    keys: keys as CryptoKeyPair,
    signingAlgorithm: algorithm,
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  return { cert: made.toString("pem"), key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n` };
}

describe("base URL", () => {
  test("resolves, or the name is called wrong", async () => {
    expect(await checkBaseUrl(config())).toMatchObject([{ severity: "ok" }]);
    // RFC 1035 §2.3.4: no query can hold a label of 64 letters, so this fails here and asks no resolver.
    expect(await checkBaseUrl(config({ GATEHOUSE_BASE_URL: `http://${"a".repeat(64)}.localhost` }))).toMatchObject([
      { severity: "problem" },
    ]);
  });

  test.each([
    ["expired", -1, "problem", "It expired on "],
    ["soon to expire", 5, "warning", "It expires on "],
    ["self-signed", 90, "warning", "It is not trusted by this machine"],
  ])("with a certificate that is %s says so", async (_, days, severity, message) => {
    const port = await listen(createTls(await certificate(clock.now() + days * DAY), (socket) => socket.destroy()));
    const [, found] = await checkBaseUrl(config({ GATEHOUSE_BASE_URL: `https://127.0.0.1:${port}` }));
    expect(found).toMatchObject({ check: "TLS certificate", severity });
    expect(found!.message).toContain(message);
  });

  test("no answer is a warning, because the proxy may come later", async () => {
    const [, found] = await checkBaseUrl(config({ GATEHOUSE_BASE_URL: `https://127.0.0.1:${await freePort()}` }));
    expect(found).toMatchObject({ severity: "warning" });
  });
});

describe("redis", () => {
  test("is no problem when not configured, and one when it does not answer", async () => {
    expect(await checkRedis(config())).toMatchObject([{ severity: "ok" }]);
    const [found] = await checkRedis(config({ REDIS_URL: `redis://:hunter2@127.0.0.1:${await freePort()}` }));
    expect(found).toMatchObject({ severity: "problem", message: "Redis does not answer (ECONNREFUSED)." });
  });

  test.skipIf(!redisServerPath())("answers", async () => {
    const port = String(await freePort());
    const redis = spawn(redisServerPath()!, ["--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      for await (const line of redis.stdout) if (String(line).includes("Ready to accept connections")) break;
      expect(await checkRedis(config({ REDIS_URL: `redis://127.0.0.1:${port}` }))).toEqual([
        { check: "redis", severity: "ok", message: "answers" },
      ]);
    } finally {
      redis.kill();
      if (redis.exitCode === null) await once(redis, "exit");
    }
  });
});

describe("master key and breach corpus", () => {
  test("a key that is no random number is warned about, and none is shown", async () => {
    const good = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString("base64");
    const [found] = await checkMasterKey(config({ GATEHOUSE_MASTER_KEY: good, GATEHOUSE_MASTER_KEY_PREVIOUS: good }));
    expect(found).toMatchObject({ severity: "ok" });
    expect(found!.message).toMatch(/^key [0-9a-f]{8}, 1 previous$/);
    expect(await checkMasterKey(config({ GATEHOUSE_MASTER_KEY: Buffer.alloc(32).toString("hex") }))).toMatchObject([
      { severity: "warning" },
    ]);
    expect(await checkMasterKey(config())).toMatchObject([{ severity: "ok" }]);
  });

  test("a file of places must be one", async () => {
    expect(await checkGeoipFile(config())).toEqual([]);
    const file = join(folder, "city.mmdb");
    writeFileSync(file, mmdbFile({ [mmdbBits([192, 0, 2], 24, true)]: { country: { iso_code: "NL" } } }));
    expect(await checkGeoipFile(config({ GATEHOUSE_GEOIP_FILE: file }))).toMatchObject([
      { severity: "ok", message: expect.stringContaining("Test-City") },
    ]);
    writeFileSync(file, "nothing of the kind");
    for (const wrong of [file, "nowhere.mmdb"])
      expect(await checkGeoipFile(config({ GATEHOUSE_GEOIP_FILE: wrong }))).toMatchObject([
        { severity: "problem", advice: expect.stringContaining("GATEHOUSE_GEOIP_FILE") },
      ]);
  });

  test("a corpus folder must be there", async () => {
    expect(await checkBreachCorpus(config())).toEqual([]);
    expect(await checkBreachCorpus(config({ GATEHOUSE_BREACH_CORPUS: folder }))).toMatchObject([{ severity: "ok" }]);
    expect(await checkBreachCorpus(config({ GATEHOUSE_BREACH_CORPUS: "nowhere" }))).toMatchObject([{ severity: "problem" }]);
  });
});
