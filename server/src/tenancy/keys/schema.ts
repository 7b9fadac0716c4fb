import Type, { type Static } from "typebox";
import { creationTime, nullable, oneOf } from "../../platform/http/index.ts";

export const RealmKey = Type.Object(
  {
    keyId: Type.String({ format: "uuid", description: "The key's id, also the `kid` of its signatures" }),
    algorithm: Type.Literal("RSA"),
    status: oneOf(["ACTIVE", "RETAINED"]),
    publicKey: Type.String({ description: "base64 DER (SubjectPublicKeyInfo)" }),
    certificate: Type.String({ description: "base64 DER, the certificate in the realm's SAML metadata" }),
    createdAt: creationTime,
    rotatedAt: nullable(Type.Integer(), "The time when another key replaced it, in epoch milliseconds. Null while it is active"),
  },
  { $id: "RealmKey" },
);
export type RealmKey = Static<typeof RealmKey>;
export type VersionedKey = RealmKey & { readonly version: number };
