// Returns an empty response in a process whose thread pool is as busy as that of a server that signs tokens. It is the limit for the event
// loop on a fully loaded machine, whose delay it reports.
import { monitorEventLoopDelay } from "node:perf_hooks";
import Fastify from "fastify";

const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const { privateKey } = await crypto.subtle.generateKey({ ...rsa, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }, false, [
  "sign",
  "verify",
]);
const text = new Uint8Array(700).fill(97);

const RESOLUTION_MS = 10; // like the product's own metric
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

const app = Fastify();
// Each response needs one signature, like a token.
app.get("/", async (_request, reply) => {
  await crypto.subtle.sign(rsa, privateKey, text);
  return reply.send("");
});
process.on("SIGTERM", () => {
  app.close().then(() => process.disconnect());
});
const origin = await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ ready: true });
process.on("message", (/** @type {{ reset?: boolean }} */ { reset }) => {
  if (reset) delay.reset();
  process.send?.({ origin, p99: delay.percentile(99) / 1e6 });
});
