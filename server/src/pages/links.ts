/** Plain https or http addresses and paths. Anything else (javascript:, data:) gives no link at all. */
export function linkTarget(href: string | undefined): string | null {
  if (!href || !URL.canParse(href, "https://self.invalid")) return null;
  return /^https?:$/.test(new URL(href, "https://self.invalid").protocol) ? href : null;
}
