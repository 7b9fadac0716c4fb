// Returns an empty response in a process that hashes passwords without end, as many at once as there are cores. It is the limit for other
// requests on a machine whose cores are all busy with passwords.
import { availableParallelism } from "node:os";
import { hash } from "@node-rs/argon2";
import Fastify from "fastify";

const argon2 = { algorithm: 2, memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
let busy = false;
const work = async () => {
  while (busy) await hash("a password of usual length", argon2);
};

const app = Fastify();
app.get("/", (_request, reply) => reply.send(""));
process.on("SIGTERM", () => {
  busy = false;
  app.close().then(() => process.disconnect());
});
const origin = await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ ready: true });
process.on("message", (/** @type {{ busy?: boolean }} */ task) => {
  if (task.busy !== undefined && task.busy !== busy) {
    busy = task.busy;
    for (let core = 0; busy && core < availableParallelism(); core++) void work();
  }
  process.send?.({ origin });
});
