import { clock } from "../../kernel/clock.ts";
import type { Db } from "../../platform/db/index.ts";
import type { UnitOfWork } from "../../platform/unit-of-work.ts";
import type { PageParts } from "../../signin/login/index.ts";
import { hasRecentAuthentication, type LiveSession } from "../../signin/sessions/index.ts";
import type { DecoupledIssuers } from "./parts.ts";

export interface DecoupledRouteParts extends PageParts {
  readonly issuers: DecoupledIssuers;
  readonly work: UnitOfWork;
}

/** As on the consent page: access without the user is allowed right after a sign-in. */
export const needsRecentSignIn = async (db: Db, session: LiveSession, scopes: readonly string[]): Promise<boolean> =>
  scopes.includes("offline_access") && session.impersonator === null && !(await hasRecentAuthentication(db, session, clock.now()));
