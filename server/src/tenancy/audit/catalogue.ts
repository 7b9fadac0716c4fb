/** Every event that the server records, by category. */
export const catalogue = {
  AUTHN: ["LOGIN_SUCCESS", "LOGIN_FAILURE", "LOGOUT"],
  ADMIN: ["ADMIN_CREATE", "ADMIN_UPDATE", "ADMIN_DELETE", "ADMIN_ACTION", "ADMIN_DENIED"],
  SECURITY: ["PASSWORD_CHANGED", "PASSWORD_RESET", "USER_LOCKED", "USER_UNLOCKED", "SESSION_REVOKED", "KEY_ROTATED", "KEY_DELETED"],
} as const;

export const categories = ["AUTHN", "ADMIN", "SECURITY"] as const;
export const eventTypes: readonly string[] = Object.values(catalogue).flat();
