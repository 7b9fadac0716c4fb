import type { Settings } from "./schema.ts";

/** Tells whether an account is created only when its address is confirmed. An address as username requires that: it may be somebody else's. */
export const confirmsFirst = ({ verifyEmail, emailAsUsername }: Settings["registration"]): boolean => verifyEmail || emailAsUsername;
