import { createSocket } from "node:dgram";
import { once } from "node:events";

/** Starts a name server on this machine (RFC 1035). It has the TXT records that a test sets, and can fail or be silent. */
export async function dnsPeer() {
  const records = new Map<string, readonly string[]>();
  const asked: string[] = [];
  let mode: "answers" | "fails" | "is silent" = "answers";
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const { name, end } = nameAt(query);
    asked.push(name);
    if (mode === "is silent") return;
    const found = mode === "answers" ? records.get(name) : undefined;
    const answers = (found ?? []).map(txtRecord);
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    // 0x8580 is an authoritative answer. Code 2 is a server failure, and 3 an unknown name.
    header.writeUInt16BE(0x8580 | (mode === "fails" ? 2 : found === undefined ? 3 : 0), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...answers]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked,
    publish: (name: string, ...values: string[]) => void records.set(name, values),
    remove: (name: string) => void records.delete(name),
    now(next: typeof mode) {
      mode = next;
    },
    async close() {
      socket.close();
      await once(socket, "close");
    },
  };
}
export type DnsPeer = Awaited<ReturnType<typeof dnsPeer>>;

/** Reads the name of the question, and where the question ends. */
function nameAt(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  return { name: labels.join("."), end: at + 5 };
}

/** Writes a record with a pointer to the name in the question. The value is cut into strings of the maximum length. */
function txtRecord(value: string): Buffer {
  const strings = (value.match(/.{1,20}/g) ?? [""]).map((part) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)]));
  const data = Buffer.concat(strings);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(16, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(0, 6);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}
