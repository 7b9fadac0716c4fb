// Passwords: hashing and checking them with Argon2id, off the main thread and never more at once than the machine has cores.
// Rules about what a good password is live with credentials; this folder only knows the mathematics and its price.
export { createPasswordHasher, type HashParams, MAX_PASSWORD_BYTES, type PasswordHasher } from "./hasher.ts";
