import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Place, place, type RunningServer } from "../testing/built-server.ts";
import { onPostgres } from "../testing/on-postgres.ts";

let here: Place;
beforeAll(async () => {
  here = await place();
}, 300_000);
afterAll(() => here.remove());

type Outcome = "answered" | "refused" | { readonly lost: string };

/** One request, read to its last byte. Only a connection that was never made counts as refused. */
function ask(url: string, agent: Agent): Promise<Outcome> {
  return new Promise((resolve) => {
    const request = get(url, { agent }, (response) => {
      let read = 0;
      response.on("data", (chunk: Buffer) => {
        read += chunk.length;
      });
      response.on("end", () => {
        const whole = response.statusCode === 200 && response.complete && read === Number(response.headers["content-length"]);
        resolve(whole ? "answered" : { lost: `status ${response.statusCode}, ${read} bytes` });
      });
      response.on("error", (error) => resolve({ lost: error.message }));
    });
    request.on("error", (error: NodeJS.ErrnoException) => {
      const refused = error.code === "ECONNREFUSED" && !request.reusedSocket;
      resolve(refused ? "refused" : { lost: `${error.code} ${error.message}, reused: ${request.reusedSocket}` });
    });
  });
}

/** A client that sends one request after another until it is refused. One that does not keep its connection is often about to make another. */
async function client(server: RunningServer, answers: { count: number }, keepAlive: boolean): Promise<Outcome> {
  const agent = new Agent({ keepAlive, maxSockets: 1 });
  try {
    for (;;) {
      const outcome = await ask(`${server.url}/realms/master/jwks`, agent);
      if (outcome !== "answered") return outcome;
      answers.count++;
    }
  } finally {
    agent.destroy();
  }
}

test("SIGTERM under load loses no answer: every request is answered in full or refused at the door", async () => {
  const server = await here.start();
  const answers = { count: 0 };
  const clients = Array.from({ length: 200 }, (_, index) => client(server, answers, index % 2 === 0));
  while (answers.count < 2_000) await new Promise((resolve) => setTimeout(resolve, 20));
  const before = answers.count;
  const { code, signal } = await server.kill("SIGTERM");
  expect(await Promise.all(clients)).toEqual(clients.map(() => "refused"));
  expect({ code, signal }).toEqual({ code: 0, signal: null });
  expect(answers.count).toBeGreaterThan(before);
}, 180_000);

onPostgres(
  "a start where another program listens says what to do",
  async () => {
    const server = await here.start();
    const { host, port } = new URL(server.url);
    expect(await here.gatehouse(["start", "--host", "127.0.0.1", "--port", port])).toMatchObject({
      code: 1,
      err: `Another program uses ${host}. Stop it, or choose another GATEHOUSE_PORT.\n`,
    });
    await server.kill("SIGTERM");
  },
  120_000,
);

onPostgres(
  "an idle connection does not keep a server from ending",
  async () => {
    const server = await here.start();
    const { port } = new URL(server.url);
    const idle = connect(Number(port), "127.0.0.1");
    await once(idle, "connect");
    const ended = once(idle, "close");
    idle.resume();
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    await ended;
  },
  120_000,
);

onPostgres(
  "a second signal does not wait for a request that never ends",
  async () => {
    const server = await here.start();
    const { port } = new URL(server.url);
    const slow = connect(Number(port), "127.0.0.1");
    slow.on("error", () => {}); // it is cut off, as it should be
    slow.write("POST /realms/master/login HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n");
    await new Promise((resolve) => get(`${server.url}/livez`, resolve));
    server.child.kill("SIGTERM");
    await expect.poll(() => server.output()).toContain("stopping");
    expect(await server.kill("SIGTERM")).toEqual({ code: 130, signal: null });
  },
  120_000,
);
