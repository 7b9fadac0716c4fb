/** Returns the address to go to after signing in: a path of this server, otherwise `home`. Anything else would be an open redirect. */
export function returnTarget(asked: string | undefined, baseUrl: string, home = "/"): string {
  if (!asked || asked.length > 2048 || !asked.startsWith("/")) return home;
  // Browsers read a backslash as a slash, and drop control characters before they read the address.
  if (/[\p{Cc}\s\\]/u.test(asked)) return home;
  const { origin } = new URL(baseUrl);
  if (!URL.canParse(asked, origin)) return home;
  const url = new URL(asked, origin);
  const path = `${url.pathname}${url.search}${url.hash}`;
  // The path is checked after its dots are resolved: `/.//host` becomes `//host`, which is another origin.
  return url.origin === origin && !path.startsWith("//") ? path : home;
}
