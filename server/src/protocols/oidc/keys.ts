import { createPublicKey, type KeyObject } from "node:crypto";
import { ExternalSigningKey } from "oidc-provider";
import type { SigningAlg, SigningKeys } from "../../tenancy/keys/index.ts";
import type { RealmSnapshot } from "../../tenancy/realms/index.ts";

/** A key of the realm as the engine meets it: it can have things signed, and never holds the private half. */
class RealmSigningKey extends ExternalSigningKey {
  readonly #sign: (data: Uint8Array) => Promise<Buffer>;
  readonly #publicKey: KeyObject | null;

  constructor(kid: string, alg: SigningAlg, publicKey: KeyObject | null, sign: (data: Uint8Array) => Promise<Buffer>) {
    super();
    Object.assign(this, { kid, alg }); // the engine has setters for both, which its types do not tell
    this.#publicKey = publicKey;
    this.#sign = sign;
  }

  override keyObject(): KeyObject {
    if (!this.#publicKey) throw new Error("This key has not signed anything yet");
    return this.#publicKey;
  }

  override sign(data: Uint8Array): Promise<Buffer> {
    return this.#sign(data);
  }
}

/** The P-256 key that is made when it first signs: until then there is nothing that its public half could verify. */
class KeyToBeMade extends RealmSigningKey {
  override get kty() {
    return "EC";
  }
  override get crv() {
    return "P-256";
  }
  override get x() {
    return "to-be-made";
  }
  override get y() {
    return "to-be-made";
  }
  override get e() {
    return undefined;
  }
  override get n() {
    return undefined;
  }
  override get pub() {
    return undefined;
  }
}

const spki = (base64: string) => createPublicKey({ key: Buffer.from(base64, "base64"), format: "der", type: "spki" });

export interface EngineKeys {
  readonly keys: readonly ExternalSigningKey[];
  /** To be called when the engine has taken them. */
  settle(): void;
}

/** The signer first. An RSA key signs as RS256 and as PS256; the engine wants two keys for that, and two names until it has taken them. */
export function engineKeys(signing: SigningKeys, realm: RealmSnapshot): EngineKeys {
  const signWith = (kid: string, alg: SigningAlg) => async (data: Uint8Array) => {
    const known = await signing.keyNamed(realm.realmId, kid, alg);
    const signer = known ?? (alg === "ES256" ? await signing.signer(realm.realmId, alg) : null);
    // The header names the key already: another one, of a rotation in between, would not fit it.
    if (signer?.kid !== kid) throw new Error("The signing key was replaced while a token was made: ask again");
    return signer.sign(data);
  };
  const pss: { key: RealmSigningKey; kid: string }[] = [];
  const keys = realm.keys.flatMap(({ keyId, publicKey, status }) => {
    const rsa = spki(publicKey);
    const companion = realm.companions.find((each) => each.keyId === keyId);
    const ec = companion && createPublicKey({ key: { ...companion.publicJwk }, format: "jwk" });
    const second = new RealmSigningKey(`${keyId}-ps`, "PS256", rsa, signWith(keyId, "PS256"));
    pss.push({ key: second, kid: keyId });
    return [
      new RealmSigningKey(keyId, "RS256", rsa, signWith(keyId, "RS256")),
      second,
      ...(ec ? [new RealmSigningKey(`${keyId}-ec`, "ES256", ec, signWith(`${keyId}-ec`, "ES256"))] : []),
      ...(!ec && status === "ACTIVE" ? [new KeyToBeMade(`${keyId}-ec`, "ES256", null, signWith(`${keyId}-ec`, "ES256"))] : []),
    ];
  });
  return {
    keys,
    settle() {
      for (const { key, kid } of pss) Object.assign(key, { kid });
    },
  };
}
