import { expect, test } from "vitest";
import { asciiDomain, isMailAddress, loginKey } from "../../kernel/text.ts";
import { isDeviceToken, isPhoneNumber, isTextSender, maskRecipient, oneLine } from "./recipients.ts";

test.each([
  ["ada@example.com", true],
  ["ada.l+tag@mail.example.co.uk", true],
  ["o'brien_{x}~!#$%&*/=?^`|@example.com", true],
  ["zoë@exämple.com", true],
  ["用户@例子.公司", true],
  ["root@localhost", true],
  ["ⓐda@example.com", false],
  ["ada@straße.example", true],
  ["ada@ας.example", true],
  ["ada@straẞe.example", false],
  ["ada@ΑΣ-shop.example", false],
  ["\u212aate@example.com", false],
  ["ad\u115fa@example.com", false],
  [`${"a".repeat(64)}@example.com`, true],
  [`${"a".repeat(65)}@example.com`, false],
  [`a@${"b".repeat(250)}.com`, false],
  ["", false],
  ["ada", false],
  ["@example.com", false],
  ["ada@", false],
  ["ada@@example.com", false],
  ["ada@eve@example.com", false],
  [".ada@example.com", false],
  ["ada..l@example.com", false],
  ["ada@example..com", false],
  ["ada@-example.com", false],
  ["ada@example.com.", false],
  ["ada@xn--a.com", false],
  ["ada@[127.0.0.1]", false],
  ["ada lovelace@example.com", false],
  ['"ada"@example.com', false],
  ["Ada <ada@example.com>", false],
  ["ada@example.com,eve@example.com", false],
  ["ada@example.com;eve@example.com", false],
  ["ada@example.com\r\nBcc: eve@example.com", false],
  ["ada@example.com\n", false],
  ["ada\u0000@example.com", false],
  ["ada\u202e@example.com", false],
  ["ada(comment)@example.com", false],
])("an email address: %j is %s", (text, expected) => {
  expect(isMailAddress(text)).toBe(expected);
});

test("an address in lower case is one of the same mailbox, whatever its characters", () => {
  const domainOf = (address: string) => asciiDomain(address.slice(address.lastIndexOf("@") + 1));
  const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);
  const others: string[] = [];
  for (let point = 0x80; point < 0x20000; point++) {
    const character = String.fromCodePoint(point);
    if (!character.isWellFormed() || loginKey(character) === character) continue;
    for (const domain of [`a${character}.com`, `a${character}-b.com`, `a${character}b.com`])
      if (isMailAddress(`x@${domain}`))
        for (const lower of [loginKey(`x@${domain}`), `x@${domain}`.toLowerCase()])
          if (domainOf(lower) !== domainOf(domain)) others.push(domain);
    const local = `a${character}b@x.com`;
    if (isMailAddress(local) && isAscii(loginKey(local))) others.push(local);
  }
  expect(others).toEqual([]);
});

test("a pathological address is refused quickly", () => {
  expect(isMailAddress(`${"a.".repeat(100_000)}@${"b-".repeat(100_000)}`)).toBe(false);
  expect(isMailAddress(`a@${"b-".repeat(120)}`)).toBe(false);
});

test.each([
  ["+31612345678", true],
  ["+1234567", true],
  ["31612345678", false],
  ["+0612345678", false],
  ["+31 612345678", false],
  ["+1234567890123456", false],
  ["+31612345678\n", false],
  ["+３１６１２３４５６７８", false],
])("a telephone number: %j is %s", (text, expected) => {
  expect(isPhoneNumber(text)).toBe(expected);
});

test.each([
  ["+31201234567", true],
  ["12345", true],
  ["Acme", true],
  ["Acme Shop 1", true],
  ["Acme Shop 12", false],
  ["Acmé", false],
  ["123456789", false],
  [" Acme", false],
  ["A\r\nB", false],
])("a text sender: %j is %s", (text, expected) => {
  expect(isTextSender(text)).toBe(expected);
});

test("a device token is what the services hand out", () => {
  expect(isDeviceToken("0123456789abcdef".repeat(4))).toBe(true);
  expect(isDeviceToken("cX1:APA91bF-_x.y0")).toBe(true);
  for (const text of ["", "a/../../b/c/d", "abcdefgh?x", "abcdefgh\r\n", "abcdefgh ", "x".repeat(4097)])
    expect(isDeviceToken(text)).toBe(false);
});

test("a masked recipient is recognised and cannot be reached", () => {
  expect(maskRecipient("EMAIL", "ada.lovelace@example.com")).toBe("a…@example.com");
  expect(maskRecipient("EMAIL", "𝒶da@example.com")).toBe("𝒶…@example.com");
  expect(maskRecipient("SMS", "+31612345678")).toBe("+31…78");
  expect(maskRecipient("PUSH", "abcdefgh")).toBe("a device");
});

test("one line is one line", () => {
  expect(oneLine(" Hello\r\nBcc: x\u2028y\u0085z\t! ")).toBe("Hello Bcc: x y z !");
});
