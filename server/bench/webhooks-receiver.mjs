// The receiver of bench/webhooks.mjs: it accepts all requests, and reports their number.
import { createServer } from "node:http";

let count = 0;
const server = createServer((request, response) => {
  request.resume().on("end", () => {
    count += 1;
    response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  process.on("message", () => process.send?.({ port, count }));
  process.send?.({ ready: true });
});
process.once("SIGTERM", () => process.exit(0));
