/** Returns the address if it is https, http or a path. Anything else (javascript:, data:) must not become a link. */
export function linkTarget(href: string | undefined): string | null {
  if (!href || !URL.canParse(href, "https://self.invalid")) return null;
  return /^https?:$/.test(new URL(href, "https://self.invalid").protocol) ? href : null;
}

/**
 * Returns the address of an application: its home page, or else the site of an address that is registered for it. The request has no influence, so a link to it
 * leads to no other place. Returns undefined if it has none, such as an app on a telephone.
 */
export function homeOf(own: string | null | undefined, registered: readonly string[]): string | undefined {
  if (own && URL.canParse(own) && linkTarget(own)) return own;
  const sites = registered.filter((address) => URL.canParse(address)).map((address) => new URL(address));
  // A program on the visitor's own machine may listen at any port, so plain http without a port is not its address.
  const site = sites.find(
    ({ protocol, host, port }) => !host.includes("*") && (protocol === "https:" || (protocol === "http:" && port !== "")),
  );
  return site && `${site.origin}/`;
}
