import { ExternalSigningKey } from "oidc-provider";
import { keyTypeOf, signingAlgs } from "../../../../tenancy/keys/index.ts";

/** The engine derives the supported algorithms from its keys. It gets placeholders that cannot sign. */
class NoKey extends ExternalSigningKey {
  readonly #alg: string;

  constructor(alg: string) {
    super();
    this.#alg = alg;
    Object.assign(this, { kid: alg, alg }); // setters that the engine's types lack
  }

  override get kty() {
    return keyTypeOf(this.#alg);
  }
  override get crv() {
    return { EC: "P-256", OKP: "Ed25519", RSA: undefined }[this.kty];
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

export const noKeys = (): readonly ExternalSigningKey[] => signingAlgs.map((alg) => new NoKey(alg));
