import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, pgbouncerPath } from "../../test/peers/index.mjs";

export interface RunningPgbouncer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer with transaction pooling, and with fewer connections than its servers would like to have. */
export async function startPgbouncer(database: string, mode: "transaction" | "session" = "transaction"): Promise<RunningPgbouncer> {
  const { hostname, port: target, username, pathname } = new URL(database);
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-pgbouncer-"));
  const port = await freePort();
  const [file, users] = [join(folder, "pgbouncer.ini"), join(folder, "users.txt")];
  writeFileSync(users, `"${username}" ""\n`, { mode: 0o644 });
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 3
`,
  );
  // PgBouncer refuses to run as root.
  const child = spawn(pgbouncerPath()!, [...(process.getuid?.() === 0 ? ["-u", "nobody"] : []), file], { stdio: "ignore" });
  const ended = once(child, "exit");
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended (${child.exitCode})`);
    await sleep(25);
  }
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    async stop() {
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
