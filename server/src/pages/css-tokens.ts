/** A token of CSS (CSS Syntax Level 3 §4). The reader knows as much as is needed to decide what a stylesheet would load. Escapes are resolved. */
export type CssToken =
  | { readonly type: "ident" | "number" | "function" | "at-keyword" | "string" | "url" | "delim"; readonly value: string }
  | { readonly type: "space" }
  | { readonly type: "comment" }
  /** Text that a browser would read differently from what its author sees. It is always refused. */
  | { readonly type: "broken"; readonly value: string };

// Names are ASCII only. Browsers differ about other characters in names, and a reader that disagrees with the browser about the end of a name can be made to
// see a comment where the browser sees a rule.
const NAME_START = /[a-z_]/i;
const NAME = /[a-z0-9_-]/i;
const DIGIT = /[0-9]/;
const SPACE = /[ \t\n\r\f]/;
const NEWLINE = /[\n\r\f]/;
const HEX = /[0-9a-f]/i;

export function cssTokens(css: string): CssToken[] {
  const tokens: CssToken[] = [];
  const chars = [...css];
  let at = 0;

  const peek = (ahead = 0): string => chars[at + ahead] ?? "";
  // §4.3.8: a backslash starts an escape unless a newline (or nothing) follows.
  const isEscape = (ahead = 0): boolean => peek(ahead) === "\\" && peek(ahead + 1) !== "" && !NEWLINE.test(peek(ahead + 1));
  const startsName = (ahead = 0): boolean => {
    if (peek(ahead) === "-") return peek(ahead + 1) === "-" || NAME_START.test(peek(ahead + 1)) || isEscape(ahead + 1);
    return NAME_START.test(peek(ahead)) || isEscape(ahead);
  };

  // §4.3.7: at most six hexadecimal digits and one space after them.
  function escaped(): string {
    at++;
    let digits = "";
    while (digits.length < 6 && HEX.test(peek())) digits += chars[at++];
    if (digits === "") return chars[at++] ?? "";
    if (peek() === "\r" && peek(1) === "\n") at++;
    if (SPACE.test(peek())) at++;
    const code = Number.parseInt(digits, 16);
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\ufffd";
  }

  function name(): string {
    let value = "";
    for (;;) {
      if (isEscape()) value += escaped();
      else if (NAME.test(peek())) value += chars[at++];
      else return value;
    }
  }

  function string(quote: string): CssToken {
    let value = "";
    for (at++; ; ) {
      const char = peek();
      if (char === "" || NEWLINE.test(char)) return { type: "broken", value: "A quoted text is not closed on its line" };
      if (char === quote) {
        at++;
        return { type: "string", value };
      }
      if (isEscape()) value += escaped();
      else if (char === "\\") {
        // A line continuation inside quotes adds nothing to the text.
        at += peek(1) === "\r" && peek(2) === "\n" ? 3 : 2;
      } else value += chars[at++];
    }
  }

  // §4.3.6: without quotes, everything after `url(` is the address, even what looks like a comment.
  function url(): CssToken {
    let value = "";
    for (;;) {
      const char = peek();
      if (char === ")") {
        at++;
        return { type: "url", value };
      }
      if (SPACE.test(char)) {
        while (SPACE.test(peek())) at++;
        if (peek() !== ")") return { type: "broken", value: "An address in url() holds a space" };
      } else if (isEscape()) value += escaped();
      else if (char === "" || /["'(\\]/.test(char)) return { type: "broken", value: "An address in url() is not well formed" };
      else value += chars[at++];
    }
  }

  const startsNumber = (): boolean => {
    const unsigned = /[+-]/.test(peek()) ? 1 : 0;
    return DIGIT.test(peek(unsigned)) || (peek(unsigned) === "." && DIGIT.test(peek(unsigned + 1)));
  };

  // §4.3.3: a unit belongs to its number, so `1url(` is a number and a bracket, not an address.
  function number(): CssToken {
    let value = "";
    const digits = () => {
      while (DIGIT.test(peek())) value += chars[at++];
    };
    if (/[+-]/.test(peek())) value += chars[at++];
    digits();
    if (peek() === "." && DIGIT.test(peek(1))) value += chars[at++];
    digits();
    const sign = /[+-]/.test(peek(1)) ? 1 : 0;
    if (/e/i.test(peek()) && DIGIT.test(peek(1 + sign))) {
      value += chars.slice(at, at + 1 + sign).join("");
      at += 1 + sign;
      digits();
    }
    return { type: "number", value: startsName() ? value + name().toLowerCase() : value };
  }

  function word(): CssToken {
    const value = name().toLowerCase();
    if (peek() !== "(") return { type: "ident", value };
    at++;
    if (value !== "url") return { type: "function", value };
    let ahead = 0;
    while (SPACE.test(peek(ahead))) ahead++;
    if (peek(ahead) === '"' || peek(ahead) === "'") return { type: "function", value };
    at += ahead;
    return url();
  }

  function comment(): CssToken {
    for (at += 2; at < chars.length; at++) {
      if (peek() === "*" && peek(1) === "/") {
        at += 2;
        return { type: "comment" };
      }
    }
    return { type: "broken", value: "A comment is not closed" };
  }

  function next(): CssToken {
    const char = peek();
    if (char === "/" && peek(1) === "*") return comment();
    if (char === '"' || char === "'") return string(char);
    if (SPACE.test(char)) {
      while (SPACE.test(peek())) at++;
      return { type: "space" };
    }
    if (char === "@" && startsName(1)) {
      at++;
      return { type: "at-keyword", value: name().toLowerCase() };
    }
    if (char === "#" && (NAME.test(peek(1)) || isEscape(1))) {
      at++;
      return { type: "ident", value: `#${name().toLowerCase()}` };
    }
    if (startsNumber()) return number();
    if (startsName()) return word();
    if (char === "\\") return { type: "broken", value: "A backslash stands at the end of a line" };
    if (char > "~")
      return { type: "broken", value: "Outside quotes and comments only plain ASCII is accepted; write other characters as escapes" };
    at++;
    return { type: "delim", value: char };
  }

  while (at < chars.length) {
    const token = next();
    tokens.push(token);
    if (token.type === "broken") break;
  }
  return tokens;
}
