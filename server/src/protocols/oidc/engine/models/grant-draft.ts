import { type Grant, Provider } from "oidc-provider";
import type { NewGrant } from "../../../tokens/index.ts";

/** What is still to be stored of a grant: together with the first thing that hangs on it, so that none is left behind without. */
const drafts = new WeakMap<Grant, Omit<NewGrant, "payload" | "grantId">>();

export const draftGrant = (grant: Grant, draft: Omit<NewGrant, "payload" | "grantId">): void => void drafts.set(grant, draft);

export const draftOf = (grant: Grant): Omit<NewGrant, "payload" | "grantId"> | undefined => drafts.get(grant);

/** The grant of the request under way, if it waits to be stored. */
export function currentDraft(): { grant: Grant; draft: Omit<NewGrant, "payload" | "grantId"> } | null {
  const grant = Provider.ctx?.oidc?.entities?.Grant as Grant | undefined;
  const draft = grant && draftOf(grant);
  return grant && draft ? { grant, draft } : null;
}
