/** The address after signing in: a path of this server, otherwise `home`. Anything else would be an open redirect. */
export function returnTarget(asked: string | undefined, baseUrl: string, home = "/"): string {
  if (!asked || asked.length > 2048 || !asked.startsWith("/")) return home;
  // A backslash is a slash to a browser; control characters are dropped by it before it looks.
  if (/[\p{Cc}\s\\]/u.test(asked)) return home;
  const { origin } = new URL(baseUrl);
  if (!URL.canParse(asked, origin)) return home;
  const url = new URL(asked, origin);
  const path = `${url.pathname}${url.search}${url.hash}`;
  // Looked at after the dots are gone: `/.//host` becomes `//host`, which is another origin.
  return url.origin === origin && !path.startsWith("//") ? path : home;
}
