/** An attribute by which an account is searched. `externalId` is our id of the user. */
export type Lookup = "externalId" | "userName" | "email";

/**
 * The differences of a SCIM service from RFC 7644, and its choices where the RFC leaves them open. Each kind of service has an object in `presets/`.
 */
export interface Preset {
  /** The method that changes users: PUT replaces the whole resource, PATCH names the changes. */
  readonly update: "put" | "patch";
  /** The filters that it can answer. */
  readonly lookups: readonly Lookup[];
  /** The attribute of an email address in a filter. */
  readonly emailFilter: string;
  /** The most member changes in one PATCH. */
  readonly membersPerPatch: number;
  /** The way to remove members: by a path with a filter for each, or by one list of values. */
  readonly removeMembers: "filter" | "values";
  /** True if a group is read with its members, so that those of an adopted group can be known. */
  readonly listsMembers: boolean;
  /** True if given and family name are required. A user without them gets the username as name. */
  readonly requiresNames: boolean;
  /** Attributes that it refuses. */
  readonly without: readonly string[];
  /** The most requests per second; `atOnce` is the most concurrent ones. */
  readonly requestsPerSecond: number;
  readonly atOnce: number;
}

/** A service that follows RFC 7644 exactly. */
export const standard: Preset = {
  update: "put",
  lookups: ["externalId", "userName", "email"],
  emailFilter: "emails.value",
  membersPerPatch: 100,
  removeMembers: "filter",
  listsMembers: true,
  requiresNames: false,
  without: [],
  requestsPerSecond: 25,
  atOnce: 4,
};
