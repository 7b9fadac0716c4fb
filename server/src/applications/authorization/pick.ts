import type { AskedResource } from "./resources.store.ts";

/** Picks the resource that a name means: by id, the client's own, the subject's, one that was shared with the subject, or any. */
export function pick(found: readonly AskedResource[], name: string, users: readonly string[]): AskedResource | undefined {
  const id = name.toLowerCase();
  const named = found.filter((each) => each.name === name);
  return (
    found.find((each) => each.id === id) ??
    named.find(({ ownerId }) => ownerId === null) ??
    named.find(({ ownerId }) => users.includes(ownerId ?? "")) ??
    named.find(({ shares }) => users.some((user) => shares.has(user))) ??
    named[0]
  );
}
