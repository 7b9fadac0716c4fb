import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between a node and its Postgres, and can fail as networks do. */
export interface DatabaseProxy {
  readonly url: string;
  /** From now on nothing arrives any more, in either direction; no connection is closed, and new ones are taken. */
  swallow(): void;
  /** As soon as a node sends a statement with this text, it is forwarded, and nothing arrives at the node any more. */
  loseAnswerTo(text: string): void;
  /** Forwards again, also what was sent meanwhile. */
  goOn(): void;
  /** Ends every connection there is with a reset. */
  reset(): void;
  close(): Promise<void>;
}

export async function databaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  let lost: string | null = null;
  const swallow = () => {
    isSwallowing = true;
    for (const socket of sockets) socket.pause();
  };
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}); // a reset is what this is for
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((node) => {
    const postgres = connect(Number(port || 5432), hostname);
    for (const [from, to] of [
      [node, postgres],
      [postgres, node],
    ] as const) {
      keep(from);
      // Flow by hand: a paused socket reads nothing, and the kernel keeps what has arrived.
      from.on("data", (bytes) => {
        to.write(bytes);
        if (from === node && lost !== null && bytes.includes(lost)) swallow();
      });
      from.on("close", () => to.destroy());
      if (isSwallowing) from.pause();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = Object.assign(new URL(databaseUrl), { hostname: "127.0.0.1", port: String((server.address() as AddressInfo).port) });
  own.searchParams.delete("host"); // a socket in the file system, which would lead past this proxy
  return {
    url: own.href,
    swallow,
    loseAnswerTo(text) {
      lost = text;
    },
    goOn() {
      lost = null;
      isSwallowing = false;
      for (const socket of sockets) socket.resume();
    },
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
