/** Returns the canonical spelling of a language tag, or null if it is none. */
export function canonicalLocale(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    // A RangeError means that it is not a language tag. The caller decides what follows.
    return null;
  }
}

/** Returns the order in which variants are tried: each locale from `nl-BE` to `nl`, and finally the default. */
export function localeChain(wishes: readonly (string | null | undefined)[]): (string | null)[] {
  const chain = new Set<string>();
  for (const wish of wishes) {
    let tag = wish ? canonicalLocale(wish.replaceAll("_", "-")) : null;
    for (; tag; tag = tag.includes("-") ? tag.slice(0, tag.lastIndexOf("-")) : null) chain.add(tag);
  }
  return [...chain, null];
}
