// Plays the part of a phone's app: enrols as a device of a user, answers push requests and signs transactions. It keeps its key in a file.
//   node examples/device.mjs enroll  ISSUER ENROLLMENT_TOKEN      node examples/device.mjs push ISSUER
//   node examples/device.mjs approve ISSUER REQUEST_ID NUMBER     node examples/device.mjs sign ISSUER TRANSACTION_ID PAYLOAD_HASH
import { createPrivateKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const FILE = "device-key.json";
const [command, issuer, ...rest] = process.argv.slice(2);

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
function jws(privateKey, header, payload) {
  const signed = `${encode({ alg: "ES256", ...header })}.${encode({ iat: Math.floor(Date.now() / 1000), jti: randomUUID(), ...payload })}`;
  return `${signed}.${sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

async function call(method, url, { authorization, body }) {
  const answer = await fetch(url, {
    method,
    headers: { authorization, accept: "application/json", ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const value = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${value.detail}`);
  return value;
}

async function enroll(token) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const authorization = `Bearer ${token}`;
  const { audience, challenge } = await call("POST", `${issuer}/device/enroll/start`, { authorization });
  const proof = jws(privateKey, { typ: "gatehouse-enroll+jwt" }, { aud: audience, challenge });
  const body = { key: publicKey.export({ format: "jwk" }), proof, name: "Sample phone" };
  const device = await call("POST", `${issuer}/device/enroll`, { authorization, body });
  writeFileSync(FILE, JSON.stringify({ deviceId: device.deviceId, key: privateKey.export({ format: "jwk" }) }), { mode: 0o600 });
  return device;
}

/** The device's proof is signed for one address and good for a minute. */
function asDevice(method, path, claims = {}) {
  const { deviceId, key } = JSON.parse(readFileSync(FILE, "utf8"));
  const proof = jws(
    createPrivateKey({ key, format: "jwk" }),
    { typ: "gatehouse-device+jwt", kid: deviceId },
    { aud: `${issuer}${path}`, ...claims },
  );
  return call(method, `${issuer}${path}`, { authorization: `Device ${proof}` });
}

function signTransaction(id, payloadHash) {
  const { deviceId, key } = JSON.parse(readFileSync(FILE, "utf8"));
  const claims = { aud: `${issuer}/tx/${id}/sign`, txn: id, payload_hash: payloadHash };
  return jws(createPrivateKey({ key, format: "jwk" }), { typ: "gatehouse-tx+jwt", kid: deviceId }, claims);
}

const commands = {
  enroll: () => enroll(rest[0]),
  push: () => asDevice("GET", "/push"),
  approve: () => asDevice("POST", `/push/${rest[0]}/approve`, { number: rest[1] }),
  deny: () => asDevice("POST", `/push/${rest[0]}/deny`),
  sign: () => signTransaction(rest[0], rest[1]),
};
if (!commands[command] || !issuer) {
  console.error(`Usage: node examples/device.mjs ${Object.keys(commands).join("|")} ISSUER …`);
  process.exit(2);
}
try {
  const result = await commands[command]();
  console.log(typeof result === "string" ? result : JSON.stringify(result));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
