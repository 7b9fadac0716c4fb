/** Plain https or http addresses and paths. Anything else (javascript:, data:) gives no link at all. */
export function linkTarget(href: string | undefined): string | null {
  if (!href || !URL.canParse(href, "https://self.invalid")) return null;
  return /^https?:$/.test(new URL(href, "https://self.invalid").protocol) ? href : null;
}

/**
 * The address at which an application lives: its home page, or else the site of an address that is registered for it. Nothing that a request brings is looked
 * at, so a link to it leads to no other place. Undefined: it has none, as an app on a telephone.
 */
export function homeOf(own: string | null | undefined, registered: readonly string[]): string | undefined {
  if (own && URL.canParse(own) && linkTarget(own)) return own;
  const sites = registered.filter((address) => URL.canParse(address)).map((address) => new URL(address));
  // A program on the visitor's own machine listens at any port.
  const site = sites.find(
    ({ protocol, host, port }) => !host.includes("*") && (protocol === "https:" || (protocol === "http:" && port !== "")),
  );
  return site && `${site.origin}/`;
}
