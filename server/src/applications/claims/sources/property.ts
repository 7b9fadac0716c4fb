import { type ClaimSource, one, type SubjectUser } from "./source.ts";

const properties: Readonly<Record<string, (user: SubjectUser) => string | number | boolean | null>> = {
  userId: ({ userId }) => userId,
  username: ({ username }) => username,
  email: ({ email }) => email,
  // Without an address there is nothing to verify.
  emailVerified: ({ email, emailVerified }) => (email === null ? null : emailVerified),
  name: fullName,
  createdAt: ({ createdAt }) => Math.floor(createdAt / 1000),
  updatedAt: ({ updatedAt }) => Math.floor(updatedAt / 1000),
};

/** Reads a member of the user's record. */
export const property: ClaimSource = {
  choices: Object.keys(properties),
  find: (name, { user }) => (user && Object.hasOwn(properties, name) ? one(properties[name]!(user)) : null),
};

/** Returns the attribute `name`, or first and last name. */
function fullName({ attributes }: SubjectUser): string | null {
  const text = (name: string) => {
    const value = Object.hasOwn(attributes, name) ? attributes[name]! : "";
    return typeof value === "string" ? value : (value[0] ?? "");
  };
  return text("name") || [text("firstName"), text("lastName")].filter(Boolean).join(" ") || null;
}
