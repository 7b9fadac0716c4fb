// A SCIM service that accepts every account, as fast as it can, and counts the requests.
import { createServer } from "node:http";

const LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const counts = { reads: 0, writes: 0, accounts: 0 };

const server = createServer(async (request, response) => {
  const isRead = request.method === "GET";
  counts[isRead ? "reads" : "writes"]++;
  let text = "";
  for await (const chunk of request) text += chunk;
  const isNew = request.method === "POST";
  const found = { schemas: [LIST], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] };
  const body = isRead ? found : { ...JSON.parse(text), ...(isNew && { id: `account-${++counts.accounts}` }) };
  response.writeHead(isNew ? 201 : 200, { "content-type": "application/scim+json" });
  response.end(JSON.stringify(body));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  process.on("message", () => process.send?.({ url: `http://127.0.0.1:${port}/v2`, ...counts }));
  process.send?.({ ready: true });
});
