import { ExternalSigningKey } from "oidc-provider";
import { SIGNING_ALGS } from "../../capabilities.ts";

/** The engine takes the algorithms that clients may choose from its keys. It gets names of keys, and nothing that could sign. */
class NoKey extends ExternalSigningKey {
  readonly #alg: string;

  constructor(alg: string) {
    super();
    this.#alg = alg;
    Object.assign(this, { kid: alg, alg }); // the engine has setters for both, which its types do not tell
  }

  override get kty() {
    return this.#alg === "ES256" ? "EC" : "RSA";
  }
  override get crv() {
    return this.#alg === "ES256" ? "P-256" : undefined;
  }
  override get x() {
    return "none";
  }
  override get y() {
    return "none";
  }
  override get e() {
    return "none";
  }
  override get n() {
    return "none";
  }
  override get pub() {
    return undefined;
  }
  override keyObject(): never {
    throw new Error("The engine has no keys: tokens are made and verified by protocols/tokens");
  }
  override sign(): never {
    throw new Error("The engine has no keys: tokens are made and verified by protocols/tokens");
  }
}

export const noKeys = (): readonly ExternalSigningKey[] => SIGNING_ALGS.map((alg) => new NoKey(alg));
