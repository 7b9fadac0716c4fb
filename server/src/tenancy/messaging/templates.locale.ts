/** The language tag in its one spelling, or null when it is none. */
export function canonicalLocale(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    // RangeError is how Intl says that it is no language tag; whoever asked decides what that means.
    return null;
  }
}

/** In which order to look for a variant: each wish from `nl-BE` to `nl`, and in the end the one for everybody. */
export function localeChain(wishes: readonly (string | null | undefined)[]): (string | null)[] {
  const chain = new Set<string>();
  for (const wish of wishes) {
    let tag = wish ? canonicalLocale(wish.replaceAll("_", "-")) : null;
    for (; tag; tag = tag.includes("-") ? tag.slice(0, tag.lastIndexOf("-")) : null) chain.add(tag);
  }
  return [...chain, null];
}
