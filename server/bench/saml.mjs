// npm run bench -- saml: what making a SAML message costs beside the signatures that it carries.
import { startAssistant } from "./processes.mjs";
import { measureRounds } from "./rounds.mjs";

/** @type {import("./rounds.mjs").Row[]} */
const rows = [
  { id: "rsa", title: "RSA-2048 signature" },
  { id: "rsa-twice", title: "two RSA-2048 signatures" },
  { id: "saml-signed", title: "SAML Response, assertion signed", against: "rsa", target: 1.3 },
  { id: "saml-both", title: "SAML Response, assertion signed, then signed", against: "rsa-twice", target: 1.3 },
  { id: "saml-encrypted", title: "SAML Response, assertion signed, encrypted, then signed", against: "rsa-twice", target: 1.4 },
  { id: "saml-open", title: "a signed assertion verified and read" },
  { id: "saml-request", title: "an unsigned AuthnRequest read" },
  { id: "saml-signed-request", title: "a signed AuthnRequest verified and read" },
];

/**
 * @param {object} options
 * @param {number} options.rounds
 * @param {number} options.seconds
 * @param {(text: string) => void} options.progress
 * @param {<T extends { stop: () => Promise<void> }>(program: T) => T} options.untilTheEnd
 */
export async function measureSaml({ rounds, seconds, progress, untilTheEnd }) {
  progress("SAML: messages as functions");
  const limits = untilTheEnd(await startAssistant("limits.mjs"));
  const maker = untilTheEnd(await startAssistant("saml-make.mjs"));
  const lanes = rows.map((row) => {
    const { pid, ask } = row.id.startsWith("rsa") ? limits : maker;
    return { row, build: null, pid, slice: (/** @type {number} */ time) => ask({ row: row.id, seconds: time }), dbCpu: () => null };
  });
  return measureRounds(lanes, { rounds, seconds, progress });
}
