import { clock, SECOND } from "../../kernel/clock.ts";

interface Bounds {
  readonly least: number;
  readonly most: number;
  /** The lifetime if the headers name none. */
  readonly usual: number;
}

/** Returns the number of milliseconds for which a response may be used, by its headers (RFC 9111 §4.2.1, §5.3) and within bounds. */
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
