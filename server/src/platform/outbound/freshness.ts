import { clock, SECOND } from "../../kernel/clock.ts";

interface Bounds {
  readonly least: number;
  readonly most: number;
  /** The lifetime where the headers have none. */
  readonly usual: number;
}

/** RFC 9111 §4.2.1, §5.3: for how many milliseconds an answer may be used, by its headers and within bounds. */
export function freshFor(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  { least, most, usual }: Bounds,
): number {
  const control = String(headers["cache-control"] ?? "");
  const [, maxAge] = /(?:^|,)\s*max-age\s*=\s*"?(\d{1,10})/i.exec(control) ?? [];
  const expires = Date.parse(String(headers.expires ?? ""));
  const declared = /(?:^|,)\s*no-(?:store|cache)\b/i.test(control)
    ? 0
    : maxAge !== undefined
      ? Number(maxAge) * SECOND
      : Number.isNaN(expires)
        ? usual
        : expires - clock.now();
  return Math.min(Math.max(declared, least), most);
}
