import { compactDecrypt, decodeProtectedHeader, errors as joseErrors } from "jose";
import { errors, type KoaContextWithOIDC } from "oidc-provider";
import { refuseUnreadableParameters } from "../../../../platform/http/index.ts";
import { contentEncryptions, decryptionAlgs } from "../../../../tenancy/keys/index.ts";
import { partsOf } from "../context.ts";
import { AUTHORIZATION, refineStep } from "../steps.ts";

/** The size limit of an encrypted request object, larger than any legitimate one. */
const MAX_LENGTH = 64 * 1024;

/**
 * RFC 9101 §6.1: decrypts a request object before the engine verifies the nested JWS. Accepts only listed algorithms: PBES2 allows a denial
 * of service by `p2c`, and `zip` by decompression.
 */
async function opened(ctx: KoaContextWithOIDC, jwe: string): Promise<string> {
  const { realm, decryptionKeys } = partsOf(ctx);
  const refused = (cause?: unknown) => new errors.InvalidRequestObject("could not decrypt request object", { cause } as never);
  if (jwe.length > MAX_LENGTH) throw refused();
  try {
    const { kid, zip } = decodeProtectedHeader(jwe) as { kid?: unknown; zip?: unknown };
    const active = realm.companions.find(({ keyId, publicJwk }) => keyId === realm.keys[0]?.keyId && publicJwk.use === "enc");
    const name = typeof kid === "string" ? kid : active?.publicJwk.kid;
    const key = name === undefined || zip !== undefined ? null : await decryptionKeys.get(realm.realmId, name);
    if (!key) throw refused();
    const { plaintext } = await compactDecrypt(jwe, key, {
      keyManagementAlgorithms: [...decryptionAlgs],
      contentEncryptionAlgorithms: [...contentEncryptions],
    });
    return Buffer.from(plaintext).toString("utf8");
  } catch (cause) {
    // The client sent a malformed JWE, which is no fault of the server.
    if (cause instanceof joseErrors.JOSEError || cause instanceof TypeError || cause instanceof DOMException) throw refused(cause);
    throw cause;
  }
}

/** Decrypts request objects in the engine's step. Call it before the first Provider is created, which copies the steps. */
export const openRequestObjects = (): void =>
  refineStep(AUTHORIZATION, "processRequestObject", async (ctx, check, next) => {
    const params = ctx.oidc.params as { request?: string };
    if (params.request?.split(".").length === 5) {
      params.request = await opened(ctx, params.request);
      refuseUnreadableParameters({ request: params.request });
      // The engine stores the body of a pushed request.
      if (ctx.oidc.body) (ctx.oidc.body as { request?: string }).request = params.request;
    }
    await check();
    return next();
  });
