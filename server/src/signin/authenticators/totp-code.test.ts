import { expect, test } from "vitest";
import { base32 } from "../../kernel/base32.ts";
import { matchingStep, type TotpForm, totpCode, totpStep, totpUri } from "./totp-code.ts";

// RFC 6238 appendix B: the secrets are as long as the hash (erratum 2866).
const ascii = (length: number) => Buffer.from("1234567890".repeat(7).slice(0, length));
const secrets = { SHA1: ascii(20), SHA256: ascii(32), SHA512: ascii(64) };
const form = (algorithm: TotpForm["algorithm"], digits = 8): TotpForm => ({ algorithm, digits, period: 30 });

test.each([
  [59, "94287082", "46119246", "90693936"],
  [1_111_111_109, "07081804", "68084774", "25091201"],
  [1_111_111_111, "14050471", "67062674", "99943326"],
  [1_234_567_890, "89005924", "91819424", "93441116"],
  [2_000_000_000, "69279037", "90698825", "38618901"],
  [20_000_000_000, "65353130", "77737706", "47863826"],
])("at second %d the codes are those of RFC 6238", (second, sha1, sha256, sha512) => {
  const expected = { SHA1: sha1, SHA256: sha256, SHA512: sha512 };
  for (const algorithm of ["SHA1", "SHA256", "SHA512"] as const)
    expect(totpCode(secrets[algorithm], totpStep(second * 1000, form(algorithm)), form(algorithm))).toBe(expected[algorithm]);
});

test("a code fits within the drift, later than the last that was used, and nowhere else", () => {
  const now = 1_111_111_111_000;
  const step = totpStep(now, form("SHA1"));
  const fits = (offset: number, drift: number, after = -1) =>
    matchingStep(secrets.SHA1, totpCode(secrets.SHA1, step + offset, form("SHA1")), form("SHA1"), { now, drift, after });
  expect([-2, -1, 0, 1, 2].map((offset) => fits(offset, 1))).toEqual([null, step - 1, step, step + 1, null]);
  expect([-1, 0, 1].map((offset) => fits(offset, 0))).toEqual([null, step, null]);
  expect([-1, 0, 1].map((offset) => fits(offset, 1, step))).toEqual([null, null, step + 1]);
  expect(matchingStep(secrets.SHA1, "", form("SHA1"), { now, drift: 1, after: -1 })).toBeNull();
});

test("writes secrets by RFC 4648, and the key URI as apps read it", () => {
  expect(["f", "fo", "foo", "foob", "fooba", "foobar"].map((text) => base32(Buffer.from(text)))).toEqual([
    ...["MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"],
  ]);
  expect(totpUri(secrets.SHA1, form("SHA1", 6), { issuer: "Acme: & Söhne", account: "ada@example.com" })).toBe(
    "otpauth://totp/Acme%20%20%26%20S%C3%B6hne:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" +
      "&issuer=Acme%20%20%26%20S%C3%B6hne&algorithm=SHA1&digits=6&period=30",
  );
});
