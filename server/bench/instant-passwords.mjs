// Loaded before the product (`node --import`). Every local password is right, and takes no time to check. The rest is a sign-in whose
// password source answers at once.
import { createRequire } from "node:module";

const argon2 = createRequire(import.meta.url)("@node-rs/argon2");
argon2.verify = async () => true;
