import { type SubjectUser, subjectData, withOwnAddress } from "../../../applications/claims/index.ts";
import { type ClientSnapshot, sectorOf } from "../../../applications/clients/index.ts";
import { type Subjects, subjectOf } from "../../../applications/subject-claim/index.ts";
import { AppError } from "../../../kernel/errors.ts";
import { oauthErrors } from "../../../kernel/oauth-error.ts";
import type { Db } from "../../../platform/db/index.ts";

/** Returns the subject of a user. `user` is the user's row, if it was read already. */
export type SubjectOf = (realm: string, client: ClientSnapshot, userId: string, user?: SubjectUser) => Promise<string>;

/** Makes the function that returns the `sub` of a user for a client, by the client's strategy or by the realm's. */
export const createSubjectOf =
  ({ db, subjects }: { readonly db: Db; readonly subjects: Subjects }): SubjectOf =>
  async (realm, client, userId, known) => {
    const snapshot = await subjects.get(realm);
    const claim = client.settings.subjectClaim ?? snapshot?.subjectClaim ?? { strategy: "userId" };
    if (claim.strategy === "userId" || !snapshot) return userId;
    const found = known ?? (claim.strategy === "pairwise" ? null : (await subjectData(db, realm, userId))?.user);
    const user = claim.strategy === "email" && found ? await withOwnAddress(db, realm, found) : found;
    const { clientId, redirectUris, settings } = client;
    const sector = sectorOf({ clientId, redirectUris, sectorIdentifierUri: settings.sectorIdentifierUri });
    return subjectOf(claim, user ?? { userId, username: "", email: null, attributes: {} }, sector, snapshot.salt).catch((error) => {
      // The user may lack the attribute that the strategy needs. The client gets the reason.
      throw error instanceof AppError ? oauthErrors.accessDenied(error.message) : error;
    });
  };
