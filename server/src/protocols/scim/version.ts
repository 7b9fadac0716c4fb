import { etag, withDigest } from "../../platform/versions.ts";

/** RFC 7644 §3.14: weak, and of the whole representation, because members of groups change without a new version of the record. */
export const versionOf = (version: number, representation: unknown): string =>
  `W/${withDigest(etag(version), JSON.stringify(representation))}`;

/** The tags of SCIM are weak, those of the services are strong. */
export const strengthened = (tags: string): string => tags.replaceAll("W/", "");
