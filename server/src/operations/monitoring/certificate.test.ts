import "reflect-metadata"; // @peculiar/x509 does not load without it, so it comes first
import { webcrypto } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:tls";
import * as x509 from "@peculiar/x509";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { clock, DAY } from "../../kernel/clock.ts";
import { type SharedHarness, sharedHarness } from "../../testing/harness.ts";

const alg = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
let proxy: Server;
let iam: SharedHarness;

beforeAll(async () => {
  x509.cryptoProvider.set(webcrypto as Crypto);
  const keys = await webcrypto.subtle.generateKey(alg, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    notBefore: new Date(clock.now() - DAY),
    notAfter: new Date(clock.now() + DAY),
    serialNumber: "01",
    name: "CN=localhost",
    keys: keys as CryptoKeyPair,
    signingAlgorithm: alg,
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  proxy = createServer({ cert: certificate.toString("pem"), key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----` });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  iam = await sharedHarness({ GATEHOUSE_BASE_URL: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
});
afterAll(async () => {
  await iam?.close();
  if (proxy?.listening) proxy.close();
});
afterEach(() => clock.reset());

const ssl = async () => (await iam.browser().get("/monitoring/health")).body.components.ssl.status;

test("the certificate of a proxy on this machine is UP until it expires, and DOWN when the proxy has stopped", async () => {
  expect(await ssl()).toBe("UP");
  clock.advance(DAY + 60_000);
  expect(await ssl()).toBe("DOWN");
  clock.reset();
  expect(await ssl()).toBe("UP");
  const closed = once(proxy, "close");
  proxy.close();
  await closed;
  clock.advance(120_000);
  expect(await ssl()).toBe("DOWN");
});
