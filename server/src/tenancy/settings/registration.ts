import type { Settings } from "./schema.ts";

/**
 * Tells whether an account is created only when its address is confirmed. That is always so if the address is the username, because it may belong to somebody
 * else.
 */
export const confirmsFirst = ({ verifyEmail, emailAsUsername }: Settings["registration"]): boolean => verifyEmail || emailAsUsername;
