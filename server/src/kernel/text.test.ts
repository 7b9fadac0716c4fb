import { describe, expect, test } from "vitest";
import { cut, isCleanText, likePrefix, loginKey, nameOf } from "./text.ts";

describe("loginKey", () => {
  test.each([
    ["letter case", "Ada", "aDA"],
    ["composed and decomposed accents", "Zo\u00eb", "Zoe\u0308"],
    ["full-width letters", "\uff21da", "ada"],
    ["ligatures", "o\ufb03ce", "office"],
    ["a letter-like symbol that is a capital underneath", "\u210c", "h"],
    ["a capital that has no composed form and its small letter that has", "T\u0308", "\u1e97"],
    ["the Kelvin sign", "\u212a", "k"],
    ["a capital that lower-cases into two code points", "\u0130x", "i\u0307x"],
    ["the two spellings of a domain", "a@BÜCHER.example", "A@xn--bcher-kva.Example"],
  ])("makes one name of %s", (_what, one, other) => {
    expect(loginKey(one)).toBe(loginKey(other));
  });

  test("folding twice changes nothing, so a stored key can be folded again", () => {
    for (const name of ["T\u0308", "\u0130", "\u1e9e", "\ufb03", "\u212b", "A\u030a", "\u01c5", "\u03a3"]) {
      expect(loginKey(loginKey(name))).toBe(loginKey(name));
    }
  });

  test("keeps different names apart", () => {
    expect(loginKey("ada")).not.toBe(loginKey("ad\u0430"));
    expect(loginKey("zoe")).not.toBe(loginKey("zo\u00eb"));
    expect(loginKey("xn--bcher-kva.example")).not.toBe(loginKey("bücher.example"));
    expect(loginKey("a@bü/cher")).toBe("a@bü/cher");
  });
});

describe("the name of a person", () => {
  test.each([
    ["without what turns its direction", "A\u202eda\u2066", "Ada"],
    ["without what cannot be seen", "\ufeffA\u200bd\u00ad\u3164a\u{e0041}", "Ada"],
    ["in one line", " Ada\r\n\u2028Lovelace\t", "Ada Lovelace"],
    ["with what joins letters, marks direction and selects shapes", "نا\u200cصر 葛\u{e0100} \u200fא", "نا\u200cصر 葛\u{e0100} \u200fא"],
    ["of visible characters only", "\u200f\u200d\ufe0f \u202e", null],
    ["and no longer than a page takes", "x".repeat(256), null],
    ["without half characters", "A\ud800", null],
    ["that is text", 7, null],
  ])("is kept %s", (_how, said, name) => {
    expect(nameOf(said)).toBe(name);
  });
});

describe("isCleanText", () => {
  test.each(["", "Ada", "\u{1f511} key", "line\nbreak"])("lets %j in", (text) => {
    expect(isCleanText(text)).toBe(true);
  });

  test.each([
    ["NUL", "a\u0000b"],
    ["a lone high surrogate", "a\ud83d"],
    ["a lone low surrogate", "\udd11a"],
  ])("refuses %s", (_what, text) => {
    expect(isCleanText(text)).toBe(false);
  });
});

describe("cut", () => {
  test("leaves what fits as it is", () => {
    expect(cut("abc", 3)).toBe("abc");
  });

  test("keeps the first code units of what does not fit", () => {
    expect(cut("abcd", 3)).toBe("abc");
  });

  test("never leaves half a surrogate pair", () => {
    const text = cut("ab\u{1f511}", 3);
    expect(isCleanText(text)).toBe(true);
    expect(text.length).toBeLessThanOrEqual(3);
    expect(text.startsWith("ab")).toBe(true);
  });
});

test.each([
  ["ada", "ada%"],
  ["100%", "100\\%%"],
  ["a_b", "a\\_b%"],
  ["back\\slash", "back\\\\slash%"],
  ["", "%"],
])("likePrefix takes %j literally", (prefix, pattern) => {
  expect(likePrefix(prefix)).toBe(pattern);
});
