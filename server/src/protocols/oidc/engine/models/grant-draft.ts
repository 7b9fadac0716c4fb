import { type Grant, Provider } from "oidc-provider";
import type { NewGrant } from "../../../tokens/index.ts";

/** New grants are stored with their first code or token, in one statement, so that no unused grant is left behind. */
const drafts = new WeakMap<Grant, Omit<NewGrant, "payload" | "grantId">>();

export const draftGrant = (grant: Grant, draft: Omit<NewGrant, "payload" | "grantId">): void => void drafts.set(grant, draft);

export const draftOf = (grant: Grant): Omit<NewGrant, "payload" | "grantId"> | undefined => drafts.get(grant);

/** The unstored grant of the current request; null: there is none. */
export function currentDraft(): { grant: Grant; draft: Omit<NewGrant, "payload" | "grantId"> } | null {
  const grant = Provider.ctx?.oidc?.entities?.Grant as Grant | undefined;
  const draft = grant && draftOf(grant);
  return grant && draft ? { grant, draft } : null;
}
