import { generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto";
import { clock, SECOND } from "../kernel/clock.ts";
import type { Answer } from "./browser.ts";
import type { SharedHarness } from "./harness.ts";
import type { RealmUnderTest } from "./realm.ts";

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A phone's app as the server sees it: it makes a key, and signs with it. */
export interface AppKey {
  readonly jwk: Record<string, unknown>;
  readonly alg: "ES256" | "RS256";
  jws(header: Record<string, unknown>, payload: Record<string, unknown>): string;
}

export function appKey(kind: "ec" | "rsa" = "ec"): AppKey {
  const pair: { privateKey: KeyObject; publicKey: KeyObject } =
    kind === "ec" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("rsa", { modulusLength: 2048 });
  const alg = kind === "ec" ? "ES256" : "RS256";
  return {
    alg,
    jwk: pair.publicKey.export({ format: "jwk" }) as Record<string, unknown>,
    jws(header, payload) {
      const signed = `${encode({ alg, ...header })}.${encode({ iat: Math.floor(clock.now() / SECOND), jti: randomUUID(), ...payload })}`;
      return `${signed}.${sign("sha256", Buffer.from(signed), { key: pair.privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
    },
  };
}

export interface EnrolledApp {
  readonly deviceId: string;
  readonly key: AppKey;
  /** Calls an address below the realm with the device's proof. */
  call(method: "GET" | "POST", path: string, claims?: Record<string, unknown>): Promise<Answer>;
  /** Returns a proof for a transaction, without sending it. */
  signTx(id: string, claims: Record<string, unknown>): string;
}

export async function enrollmentToken(realm: RealmUnderTest, userId: string, more: Record<string, unknown> = {}): Promise<string> {
  const made = await realm.asMaster().post(`/users/${userId}/credentials`, { type: "enrollment-token", ...more });
  if (made.status !== 201) throw new Error(`no enrollment token: ${made.status} ${made.text}`);
  return made.body.token;
}

/** Makes an app a device of the user, through all the steps. */
export async function enrolledApp(
  iam: SharedHarness,
  realm: RealmUnderTest,
  userId: string,
  more: { readonly pushToken?: { driver: string; token: string }; readonly kind?: "ec" | "rsa" } = {},
): Promise<EnrolledApp> {
  const issuer = `${iam.config.baseUrl}/realms/${realm.name}`;
  const headers = { authorization: `Bearer ${await enrollmentToken(realm, userId)}` };
  const key = appKey(more.kind);
  const { body: start } = await iam.browser().post(`/realms/${realm.name}/device/enroll/start`, undefined, { headers });
  const proof = key.jws({ typ: "gatehouse-enroll+jwt" }, { aud: start.audience, challenge: start.challenge });
  const body = { key: key.jwk, proof, name: "Ada's phone", ...(more.pushToken && { pushToken: more.pushToken }) };
  const enrolled = await iam.browser().post(`/realms/${realm.name}/device/enroll`, body, { headers });
  if (enrolled.status !== 201) throw new Error(`could not enroll: ${enrolled.status} ${enrolled.text}`);
  const { deviceId } = enrolled.body;
  return {
    deviceId,
    key,
    call(method, path, claims = {}) {
      const jws = key.jws({ typ: "gatehouse-device+jwt", kid: deviceId }, { aud: `${issuer}${path}`, ...claims });
      return iam.browser().request(method, `/realms/${realm.name}${path}`, { headers: { authorization: `Device ${jws}` } });
    },
    signTx: (id, claims) => key.jws({ typ: "gatehouse-tx+jwt", kid: deviceId }, { aud: `${issuer}/tx/${id}/sign`, txn: id, ...claims }),
  };
}
