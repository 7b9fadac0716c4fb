/** The language tag in its one spelling, or null when it is none. */
export function canonicalLocale(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    // RangeError: not a language tag. The caller decides what that means.
    return null;
  }
}

/** The order of variants: each locale from `nl-BE` to `nl`, then the default. */
export function localeChain(wishes: readonly (string | null | undefined)[]): (string | null)[] {
  const chain = new Set<string>();
  for (const wish of wishes) {
    let tag = wish ? canonicalLocale(wish.replaceAll("_", "-")) : null;
    for (; tag; tag = tag.includes("-") ? tag.slice(0, tag.lastIndexOf("-")) : null) chain.add(tag);
  }
  return [...chain, null];
}
