/** By which attributes an account is looked for. `externalId` is our id of the user. */
export type Lookup = "externalId" | "userName" | "email";

/**
 * The differences of a SCIM service from RFC 7644, and its choices where the RFC leaves them open. One object for each kind of service, in
 * `presets/`.
 */
export interface Preset {
  /** The method that changes users: PUT replaces the whole resource, PATCH names the changes. */
  readonly update: "put" | "patch";
  /** The filters that it can answer. */
  readonly lookups: readonly Lookup[];
  /** The attribute of an email address in a filter. */
  readonly emailFilter: string;
  /** Member changes in one PATCH. */
  readonly membersPerPatch: number;
  /** The way to remove members: by a path with a filter for each, or by one list of values. */
  readonly removeMembers: "filter" | "values";
  /** True when a group answers with its members, so that those of an adopted group can be known. */
  readonly listsMembers: boolean;
  /** Given and family name are required: a user without them has the username there. */
  readonly requiresNames: boolean;
  /** Attributes that it refuses. */
  readonly without: readonly string[];
  /** Requests per second, and how many at once. */
  readonly requestsPerSecond: number;
  readonly atOnce: number;
}

/** RFC 7644 to the letter. */
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
