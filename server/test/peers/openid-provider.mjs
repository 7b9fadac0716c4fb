import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * @typedef {object} OpenidProviderOptions
 * @property {string} host Its name; it listens on loopback.
 * @property {{ cert: string, key: string }} identity
 * @property {import("oidc-provider").ClientMetadata[]} clients
 * @property {Record<string, Record<string, unknown>>} people The claims of each account.
 * @property {string} reach Where its clients are, whatever host their addresses name.
 */

/**
 * Starts plain oidc-provider as others run it. It has its own thread, because in ours the package is changed by our engine.
 * @param {OpenidProviderOptions} options
 */
export async function startOpenidProvider(options) {
  const worker = new Worker(new URL("./openid-provider.worker.mjs", import.meta.url), { workerData: options, stdout: true, stderr: true });
  let log = "";
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding("utf8").on("data", (chunk) => {
      log += chunk;
    });
  /** @type {[{ issuer: string, port: number }]} */
  const [{ issuer, port }] = /** @type {any} */ (await once(worker, "message"));
  return {
    ...{ issuer, port },
    /** Replaces the keys by new ones. */
    async rotate() {
      worker.postMessage("rotate");
      await once(worker, "message");
    },
    /** Returns its log. */
    log: () => log,
    close: () => worker.terminate(),
  };
}
