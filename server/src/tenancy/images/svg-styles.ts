import { imageFault } from "./errors.ts";

/** The functions that a value may call. `url` is allowed only with a fragment (see `OWN_URL`). */
const FUNCTIONS = new Set(
  "rgb rgba hsl hsla translate translateX translateY scale scaleX scaleY rotate skewX skewY matrix calc min max".split(" "),
);
/** A call begins at the beginning of a word. From within a long word, each letter would be tried up to its end. */
const CALL = /(?<![\w-])([\w-]+)\s*\(/g;
const OWN_URL = /url\(\s*(["']?)#[\w.:-]+\1\s*\)/g;

/** Tells whether a value of an attribute, or a list of declarations, loads and runs nothing. */
export function safeSvgValue(value: string, isStyle = false): boolean {
  // Escapes and comments could disguise any word, so they are refused.
  if (/[\\@<>{}]|\/\*|\*\//.test(value)) return false;
  const rest = value.replace(OWN_URL, "");
  if (/javascript:|data:|https?:|\/\//i.test(rest)) return false;
  if (isStyle && /(^|[;\s])(behavior|-moz-binding|src|content)\s*:/i.test(rest)) return false;
  return [...rest.matchAll(CALL)].every(([, name]) => FUNCTIONS.has(name!));
}

/** Each rule begins where the one before it ends, so that nothing is read twice. */
const RULE = /([^{}]*)\{([^{}]*)\}/gy;
const SELECTOR = /^[\w\s.#,:>*-]+$/;

/** Returns the text of a `<style>` with plain rules only. Refuses at-rules. */
export function safeStyles(text: string): string {
  // A comment without an end lasts to the end of the sheet.
  const css = text.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, " ");
  const rules = [...css.matchAll(RULE)];
  const isPlain = css.slice(rules.reduce((end, [rule]) => end + rule.length, 0)).trim() === "";
  if (!isPlain || !rules.every(([, selector, body]) => SELECTOR.test(selector!.trim()) && safeSvgValue(body!, true)))
    throw imageFault("the SVG's <style> has more than plain rules: it may not load, import or run anything");
  return rules.map(([, selector, body]) => `${selector!.trim()}{${body!.trim().replace(/\s+/g, " ")}}`).join("\n");
}
