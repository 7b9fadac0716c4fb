import { ExternalSigningKey } from "oidc-provider";
import { keyTypeOf, signingAlgs } from "../../../../tenancy/keys/index.ts";

const refuse = (): never => {
  throw new Error("The engine has no keys: tokens are made and verified by protocols/tokens");
};

/** Returns placeholders that cannot sign, because the engine derives the supported algorithms from its keys. */
export const noKeys = (): readonly ExternalSigningKey[] =>
  signingAlgs.map((alg) => {
    const kty = keyTypeOf(alg);
    const crv = { EC: "P-256", OKP: "Ed25519", RSA: undefined }[kty];
    const members = {
      kid: alg,
      alg,
      kty,
      crv,
      x: "none",
      y: "none",
      e: "none",
      n: "none",
      pub: undefined,
      keyObject: refuse,
      sign: refuse,
    };
    return Object.defineProperties(new ExternalSigningKey(), Object.getOwnPropertyDescriptors(members));
  });
