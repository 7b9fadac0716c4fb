/** The order matters: most browsers also claim to be the ones below them. */
const BROWSERS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/Chrome\/|\bCriOS\//, "Chrome"],
  [/^(?=.*\bVersion\/\d).* Safari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** Returns the common name of the browser that sends a `User-Agent`. An unknown value is returned shortened. */
export function browserName(userAgent: string): string {
  const nameIn = (known: typeof BROWSERS) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
  if (browser === undefined) return userAgent.length > 100 ? `${userAgent.slice(0, 100)}…` : userAgent;
  return system === undefined ? browser : `${browser}, ${system}`;
}
