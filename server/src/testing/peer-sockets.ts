import type { AddressInfo, Server, Socket } from "node:net";

/** A server on loopback that can be closed together with all its connections. */
export interface Listening {
  readonly port: number;
  /** Returns the number of connections so far. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export async function listenOnLoopback(server: Server): Promise<Listening> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    // A peer accepts every way in which its client hangs up.
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

/** Writes as long as the other side reads. Returns the number of bytes once it has hung up. */
export function writeForEver(stream: NodeJS.WritableStream & { destroyed?: boolean }, chunk: string): Promise<number> {
  let written = 0;
  return new Promise((done) => {
    const more = () => {
      // There is a limit nevertheless: a broken rule must make the test fail, and not fill the memory.
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
