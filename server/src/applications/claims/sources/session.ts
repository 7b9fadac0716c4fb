import { type ClaimSource, type Found, many, one, type SubjectSession } from "./source.ts";

const members: Readonly<Record<string, (session: SubjectSession) => Found>> = {
  authTime: ({ authTime }) => one(Math.floor(authTime / 1000)),
  acr: ({ acr }) => one(acr),
  amr: ({ amr }) => many(amr),
  sid: ({ sid }) => one(sid),
  impersonator: ({ impersonator }) => one(impersonator),
};

/** Reads the session in which the user authenticated. */
export const session: ClaimSource = {
  choices: Object.keys(members),
  find: (name, { session }) => (session && Object.hasOwn(members, name) ? members[name]!(session) : null),
};
