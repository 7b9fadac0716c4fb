// An MCP client without any configuration: it finds the issuer that protects the server, registers itself there, and sends you to the sign-in page.
//
//   node examples/mcp-server/client.mjs http://localhost:3000/mcp
import { createServer } from "node:http";
import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [address = "http://localhost:3000/mcp"] = process.argv.slice(2);
const PORT = 3334;

/** A real client keeps these on disk. */
const kept = {};
const keep = (name) => (value) => {
  kept[name] = value;
};
const authProvider = {
  redirectUrl: `http://127.0.0.1:${PORT}/callback`,
  clientMetadata: {
    client_name: "Example MCP client",
    redirect_uris: [`http://127.0.0.1:${PORT}/callback`],
    application_type: "native",
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
  },
  clientInformation: () => kept.client,
  saveClientInformation: keep("client"),
  tokens: () => kept.tokens,
  saveTokens: keep("tokens"),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: keep("verifier"),
  redirectToAuthorization: (url) => console.log(`Open this address in your browser:\n\n  ${url}\n`),
};

/** The code that the browser brings back. */
const callback = () =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url, `http://127.0.0.1:${PORT}`);
      if (pathname !== "/callback") return response.writeHead(404).end();
      response.end("You can close this page.");
      server.close();
      const code = searchParams.get("code");
      return code ? resolve(code) : reject(new Error(searchParams.get("error_description") ?? "no code"));
    }).listen(PORT, "127.0.0.1");
  });

const connect = async () => {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider });
  const client = new Client({ name: "example", version: "1.0.0" });
  try {
    await client.connect(transport);
    return client;
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(await callback());
    return connect();
  }
};

const client = await connect();
const { content } = await client.callTool({ name: "whoami" });
console.log(content[0].text);
await client.close();
