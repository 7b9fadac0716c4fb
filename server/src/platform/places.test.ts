import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mmdbBits, mmdbFile } from "../testing/mmdb.ts";
import { openPlaces, readPlaces } from "./places.ts";

const folder = mkdtempSync(join(tmpdir(), "places-"));
const kept = (name: string, content: Buffer): string => {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
};
const networks = {
  [mmdbBits([198, 51, 100], 24, true)]: {
    city: { names: { en: "Munich", de: "München", "pt-BR": "Munique" } },
    country: { iso_code: "DE", names: { en: "Germany" } },
  },
  [mmdbBits([32, 1, 13, 184], 32, false)]: { country: { iso_code: "NL" } },
  [mmdbBits([192, 0, 2], 24, true)]: { city: { names: { en: `A town with a long name, ${"x".repeat(40)}` } } },
  [mmdbBits([203, 0, 113], 24, true)]: { continent: { code: "EU" } },
};

test.each([24, 28, 32] as const)("addresses of both families are found in a file with records of %i bits", (size) => {
  const { of, type, builtAt } = readPlaces(kept(`city-${size}.mmdb`, mmdbFile(networks, size)));
  expect([type, builtAt.getUTCFullYear()]).toEqual(["Test-City", 2026]);
  expect(["en", "de", "pt", "ar"].map((locale) => of("198.51.100.7", locale))).toEqual([
    ...["Munich, Germany", "München, Deutschland", "Munique, Alemanha", "Munich, ألمانيا"],
  ]);
  expect(of("::ffff:198.51.100.7", "en"), "as sockets name it").toBe("Munich, Germany");
  expect(of("2001:db8::1", "en")).toBe("Netherlands");
  expect(of("192.0.2.1", "en")).toMatch(/^A town with a long name, x{40}$/);
  for (const unknown of ["198.51.101.1", "2001:db9::1", "203.0.113.1", "::1", "nowhere", "", null]) expect(of(unknown, "en")).toBeNull();
});

test("without a file no place is known, and an unreadable file is logged once, at the start", () => {
  const said: string[] = [];
  const log = { info: () => {}, warn: (_: unknown, text?: string) => void said.push(text ?? "") } as unknown as Parameters<
    typeof openPlaces
  >[1];
  expect(openPlaces(null, log).beside("198.51.100.7", "en")).toBe("198.51.100.7");
  expect(said).toEqual([]);
  const whole = mmdbFile(networks);
  for (const file of [join(folder, "missing.mmdb"), kept("text.mmdb", Buffer.from("no map")), kept("cut.mmdb", whole.subarray(-60))])
    expect(openPlaces(file, log).of("198.51.100.7", "en")).toBeNull();
  expect(said.every((text) => text.includes("GATEHOUSE_GEOIP_FILE cannot be read")) && said.length).toBe(3);
  expect(openPlaces(kept("whole.mmdb", whole), log).beside("198.51.100.7", "en")).toBe("198.51.100.7 (Munich, Germany)");
});
