import { createHash } from "node:crypto";
import { atLeast, type Filter } from "../../platform/ldap/index.ts";
import type { Directory } from "./directory.ts";

/** The point up to which a directory was read, by the directory's own times or numbers. */
export interface Mark {
  /** A hash of what is read and how it is used. With another configuration, everything is read again. */
  readonly digest: string;
  /** The time of the latest change, by the directory's own clock, minus the time that the reading took. */
  readonly time?: string;
  /** AD: the number of the last change, and the domain controller that counts these numbers. */
  readonly usn?: string;
  readonly service?: string;
  /** AD: the cookie from which DirSync continues, in base64. */
  readonly cookie?: string;
  /** A hash of the groups that changed last, so that they do not count as changed again. */
  readonly groups?: string;
}

/** Returns null if there is no mark, or one of an earlier release. */
export function parseMark(text: string | null): Mark | null {
  if (text === null || !text.startsWith("{")) return null;
  const { digest, time, usn, service, cookie, groups } = JSON.parse(text) as Record<string, unknown>;
  if (typeof digest !== "string") return null;
  const given = Object.entries({ time, usn, service, cookie, groups }).filter(([, value]) => typeof value === "string");
  return { digest, ...Object.fromEntries(given) };
}

/** Members that do not change the result of a reading, such as addresses and intervals. */
const ELSEWHERE = [
  "url",
  "urls",
  "startTls",
  "caCertificate",
  "clientCertificate",
  "timeoutMs",
  "bindDn",
  "fullSyncMinutes",
  "changedSyncMinutes",
  "entryCheckSeconds",
  "signInWhenUnreachable",
  "refreshWhenUnreachable",
  "returningEntries",
];

export function digestOf({ provider: { config, mappers, protocol } }: Directory): string {
  const read = Object.entries(config)
    .filter(([member]) => !ELSEWHERE.includes(member))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([protocol, read, mappers]))
    .digest("base64url")
    .slice(0, 22);
}

const STAMP = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.\d+)?Z$/;
/** The directory's clock has a resolution of one second, and its servers replicate changes to each other with a delay. */
const OVERLAP_SECONDS = 60;

/** Returns the time of a change in the stored form, or null if it has another form. */
export function stampOf(text: string | null): string | null {
  const [, ...parts] = STAMP.exec(text ?? "") ?? [];
  return parts.length === 0 ? null : `${parts.join("")}Z`;
}

export function earlier(stamp: string, seconds: number): string {
  const [, year, month, day, hour, minute, second] = STAMP.exec(stamp)!.map(Number);
  const at = Date.UTC(year!, month! - 1, day!, hour!, minute!, second! - seconds);
  return new Date(at).toISOString().replace(/[-:T]|\.\d+/g, "");
}

export const sinceTime = (stamp: string): Filter => atLeast("modifyTimestamp", earlier(stamp, OVERLAP_SECONDS));
export const sinceUsn = (usn: string): Filter => atLeast("uSNChanged", String(BigInt(usn) + 1n));
