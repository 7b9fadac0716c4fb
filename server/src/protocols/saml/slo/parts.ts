import type { LogoutRequests } from "../../../signin/login/index.ts";
import type { SamlParts } from "../parts.ts";
import type { Refusals } from "../refusals.ts";

/** The dependencies of single logout. */
export interface SloParts extends SamlParts {
  readonly refusals: Refusals;
  /** Other protocols' applications that are notified by frames of the last page. */
  readonly logoutFrames: LogoutRequests["frames"];
}
