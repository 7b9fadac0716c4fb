import type { Settings } from "./schema.ts";

/** The account is created when its address is confirmed; where the address is the username, always: it may be the address of another. */
export const confirmsFirst = ({ verifyEmail, emailAsUsername }: Settings["registration"]): boolean => verifyEmail || emailAsUsername;
