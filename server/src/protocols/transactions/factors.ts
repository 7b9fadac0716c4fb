import { authenticators, type Question } from "../../signin/authenticators/index.ts";
import { deviceNamedIn, findDevice, markDeviceUsed, readProof } from "../../signin/enrolled-devices/index.ts";
import { issuerOf } from "../tokens/index.ts";
import type { SignTransaction, Transaction } from "./schema.ts";

/** The question by which a user confirms a transaction, for the sign-in run. Its form has one field, `code`. */
export const confirmBy = (factor: SignTransaction["factor"], transaction: Transaction): Question =>
  factor === "push" ? byDevice(transaction) : (authenticators[factor] as Question);

/** The device's proof is bound to the transaction and its payload hash. */
const byDevice = ({ id, payloadHash }: Transaction): Question => ({
  ...(authenticators.push as Question),
  counted: "push",
  fields: ["code"],
  answer: async ({ parts, realm: { realmId }, user }, { code: jws = "" }) => {
    const wrong = { outcome: "wrong", text: "codeWrongText" } as const;
    const device = await findDevice(parts.db, realmId, deviceNamedIn(jws) ?? "");
    if (!user || device?.userId !== user.userId) return wrong;
    const audience = `${issuerOf(parts.baseUrl, realmId)}/tx/${id}/sign`;
    const signed = await readProof(device.key, jws, { typ: "gatehouse-tx+jwt", audience });
    if (signed?.txn !== id || signed.payload_hash !== payloadHash) return wrong;
    return {
      outcome: "passed",
      proof: {
        ...{ userId: user.userId, factor: "possession", amr: ["swk"] },
        accept: (ctx) => markDeviceUsed(ctx.tx, ctx.realm, device, ctx.now),
      },
    };
  },
});
