import type { AddressInfo, Server, Socket } from "node:net";

/** A server on loopback that can be closed with everything that is connected to it. */
export interface Listening {
  readonly port: number;
  /** The number of connections so far. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export async function listenOnLoopback(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    // A peer does not mind how its client hangs up.
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Writes for as long as the other side reads; answers how much that was once it hung up. */
export function writeForEver(stream: NodeJS.WritableStream & { destroyed?: boolean }, chunk: string): Promise<number> {
  let written = 0;
  return new Promise((done) => {
    const more = () => {
      // Bounded all the same: a broken rule must end in a failed test, not in a full memory.
      while (written < 256 * 1024 * 1024) {
        if (stream.destroyed) return;
        written += chunk.length;
        if (!stream.write(chunk)) return void stream.once("drain", more);
      }
      stream.end();
    };
    stream.once("close", () => done(written));
    stream.on("error", () => {});
    more();
  });
}
