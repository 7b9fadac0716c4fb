import { etag, withDigest } from "../../platform/versions.ts";

/** RFC 7644 §3.14: makes a weak tag of the whole representation, because a group's members change without a new version of the record. */
export const versionOf = (version: number, representation: unknown): string =>
  `W/${withDigest(etag(version), JSON.stringify(representation))}`;

/** Makes the weak tags of SCIM strong, as the services expect them. */
export const strengthened = (tags: string): string => tags.replaceAll("W/", "");
