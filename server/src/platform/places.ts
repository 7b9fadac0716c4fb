import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { Logger } from "pino";
import { openMmdb } from "./mmdb.ts";
import { plainAddress } from "./outbound/index.ts";

/** The places of network addresses, from the operator's file. Without a file no place is known, and none is guessed. */
export interface Places {
  /** Returns “Berlin, Germany”, in the language as far as the file has it, or null if the place is not known. */
  of(address: string | null, locale: string): string | null;
  /** Returns the address, with its place if that is known. */
  beside(address: string, locale: string): string;
}

/** Reads a file in the format of MaxMind (mmdb) with the members of GeoIP2 City or Country. Throws if it cannot be read. */
export function readPlaces(file: string): Pick<Places, "of"> & { readonly type: string; readonly builtAt: Date } {
  const { type, builtAt, find } = openMmdb(readFileSync(file));
  return {
    type,
    builtAt,
    of(address, locale) {
      const plain = plainAddress(address ?? "");
      return isIP(plain) === 0 ? null : wordsOf(find(plain) as Found | null, locale);
    },
  };
}

/** Opens the file once, at the start. If it cannot be read, this is logged, and no place is shown. */
export function openPlaces(file: string | null, log: Pick<Logger, "warn" | "info">): Places {
  const of = file === null ? () => null : known(file, log);
  const beside = (address: string, locale: string) => {
    const place = of(address, locale);
    return place === null ? address : `${address} (${place})`;
  };
  return { of, beside };
}

function known(file: string, log: Pick<Logger, "warn" | "info">): Places["of"] {
  try {
    const { type, builtAt, of } = readPlaces(file);
    log.info({ file, type, builtAt }, "places of network addresses come from this file");
    return of;
  } catch (err) {
    log.warn({ err, file }, "GATEHOUSE_GEOIP_FILE cannot be read: no places are shown");
    return () => null;
  }
}

/** The members of GeoIP2 City and Country that are read. */
interface Found {
  readonly city?: { readonly names?: Readonly<Record<string, string>> };
  readonly country?: { readonly iso_code?: string };
  readonly registered_country?: { readonly iso_code?: string };
}

/** Returns the text of a place. Names of cities exist in some languages only; those of countries in every language that Node knows. */
function wordsOf(found: Found | null, locale: string): string | null {
  const names = found?.city?.names;
  const city = names && (names[locale] ?? names[locale === "pt" ? "pt-BR" : "en"] ?? names.en);
  const code = (found?.country ?? found?.registered_country)?.iso_code;
  const country = code !== undefined && /^[A-Z]{2}$/.test(code) ? new Intl.DisplayNames(locale, { type: "region" }).of(code) : undefined;
  return [city, country].filter(Boolean).join(", ") || null;
}
