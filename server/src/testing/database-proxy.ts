import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A proxy between a node and its Postgres, which can fail as networks do. */
export interface DatabaseProxy {
  readonly url: string;
  /** Delivers nothing any more in either direction. No connection is closed, and new ones are accepted. */
  swallow(): void;
  /** Forwards the next statement with this text, and then delivers nothing to the node any more. */
  loseAnswerTo(text: string): void;
  /** Forwards again, with everything that was sent meanwhile. */
  goOn(): void;
  /** Resets all connections. */
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
    socket.on("error", () => {}); // resets are the purpose of this proxy
    socket.on("close", () => sockets.delete(socket));
  };
  const server = createServer((node) => {
    const postgres = connect(Number(port || 5432), hostname);
    for (const [from, to] of [
      [node, postgres],
      [postgres, node],
    ] as const) {
      keep(from);
      // The flow is controlled by hand: a paused socket reads nothing, and the kernel keeps what has arrived.
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
  own.searchParams.delete("host"); // a socket in the file system would bypass this proxy
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
