import { INLINE_IMAGE } from "./branding.ts";
import { type CssToken, cssTokens } from "./css-tokens.ts";

type CssVerdict = { readonly ok: true; readonly css: string } | { readonly ok: false; readonly reason: string };

const MAX_BYTES = 64 * 1024;

// The at-rules that are allowed. Those that load, redefine or reinterpret are not, and a new at-rule of a later browser is refused until it is reviewed.
const AT_RULES = new Set(["media", "supports", "container", "keyframes", "-webkit-keyframes", "layer", "property", "starting-style"]);
// Functions that turn a plain text into an address, or into a program.
const LOADING_FUNCTIONS = new Set(["src", "image", "image-set", "-webkit-image-set", "-moz-image-rect", "-moz-element", "expression"]);
const LOADING_PROPERTIES = new Set(["behavior", "-moz-binding"]);
const CLOSERS: Readonly<Record<string, string>> = { "{": "}", "(": ")", "[": "]" };
// Control characters that are not white space in CSS. Browsers drop or replace some of them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const CONTROL = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/;

/**
 * Tells whether a realm's stylesheet may be served with its sign-in pages. No part of it may reach another origin: by attribute selectors, any request to a
 * place that its author can watch would carry form values out.
 */
export function safeCustomCss(css: string): CssVerdict {
  const reason = refusal(css);
  return reason === null ? { ok: true, css } : { ok: false, reason };
}

function refusal(css: string): string | null {
  if (Buffer.byteLength(css) > MAX_BYTES) return "The style sheet is larger than 64 KiB";
  if (CONTROL.test(css) || !css.isWellFormed()) return "The style sheet holds control characters or broken Unicode";
  if (/<\/|<!--|-->/.test(css)) return "The style sheet holds HTML (</, <!-- or -->)";
  const tokens = cssTokens(css);
  return brokenToken(tokens) ?? unbalanced(tokens) ?? forbiddenRule(tokens) ?? forbiddenAddress(tokens) ?? forbiddenText(tokens);
}

function brokenToken(tokens: readonly CssToken[]): string | null {
  const last = tokens.at(-1);
  return last?.type === "broken" ? last.value : null;
}

// Finds a bracket that is not closed, because browsers would then read the rest of the sheet differently.
function unbalanced(tokens: readonly CssToken[]): string | null {
  const open: string[] = [];
  for (const token of tokens) {
    const opener = token.type === "function" ? "(" : token.type === "delim" ? token.value : "";
    if (CLOSERS[opener]) open.push(CLOSERS[opener]);
    else if (/^[)\]}]$/.test(opener) && open.pop() !== opener) return `"${opener}" closes nothing`;
  }
  return open.length > 0 ? `"${open.at(-1)}" is missing at the end` : null;
}

function forbiddenRule(tokens: readonly CssToken[]): string | null {
  const solid = tokens.filter((token) => token.type !== "space" && token.type !== "comment");
  for (const [i, token] of solid.entries()) {
    if (token.type === "at-keyword" && !AT_RULES.has(token.value)) return `@${token.value} is not accepted`;
    if (token.type === "function" && LOADING_FUNCTIONS.has(token.value)) return `${token.value}() is not accepted`;
    const next = solid[i + 1];
    const isProperty = token.type === "ident" && next?.type === "delim" && next.value === ":";
    if (isProperty && LOADING_PROPERTIES.has(token.value)) return `The property ${token.value} is not accepted`;
  }
  return null;
}

function forbiddenAddress(tokens: readonly CssToken[]): string | null {
  const solid = tokens.filter((token) => token.type !== "space" && token.type !== "comment");
  for (const [i, token] of solid.entries()) {
    if (token.type === "url") {
      if (!isOwnAddress(token.value)) return FOREIGN;
    } else if (token.type === "function" && token.value === "url") {
      const [address, end] = [solid[i + 1], solid[i + 2]];
      if (address?.type !== "string" || end?.type !== "delim" || end.value !== ")") return "url() takes one address";
      if (!isOwnAddress(address.value)) return FOREIGN;
    }
  }
  return null;
}

const FOREIGN = "url() may only hold a path of this server without a query, or a data:image/ address";

// Both schemes are tried because `https:host` is a path below an https base and another origin below an http one.
const BASES = ["https://self.invalid/realms/x/theme.css", "http://self.invalid/realms/x/theme.css"];

function isOwnAddress(address: string): boolean {
  if (INLINE_IMAGE.test(address)) return true;
  // None of our paths contains these, and every way to write another host does.
  if (/\/\/|\\/.test(address)) return false;
  return BASES.every((base) => {
    if (!URL.canParse(address, base)) return false;
    const url = new URL(address, base);
    // A query could make one of our own endpoints redirect to an address of the author's choice, with the result of a selector in it.
    return url.origin === new URL(base).origin && !url.href.includes("?") && !url.username && !url.password;
  });
}

// Checks the plain text again, without comments and with escapes resolved, independently of how it was split into tokens.
function forbiddenText(tokens: readonly CssToken[]): string | null {
  let plain = "";
  for (const token of tokens) {
    if (token.type === "comment" || token.type === "url") continue;
    if (token.type === "function" && token.value === "url") continue;
    if (token.type === "string") {
      if (token.value.includes("//") && !INLINE_IMAGE.test(token.value)) return 'A quoted text may not hold "//"';
      plain += '""';
    } else if (token.type === "space") plain += " ";
    else if (token.type === "function") plain += `${token.value}(`;
    else plain += token.type === "at-keyword" ? `@${token.value}` : token.value;
  }
  if (/javascript\s*:/i.test(plain)) return "javascript: is not accepted";
  if (/(?:url|image-set|expression)\s*\(/i.test(plain)) return "url(, image-set( and expression( may not be hidden or split";
  if (plain.includes("//")) return '"//" is not accepted: CSS comments are written /* like this */';
  if (/<\/|<!|@import/i.test(plain)) return "HTML and @import may not be hidden or split";
  return null;
}
