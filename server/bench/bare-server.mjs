// Measures the cost of Fastify when nothing else is done: `empty`, or `read` with the address of a database for one row by its primary key.
import Fastify from "fastify";
import pg from "pg";

const [kind, databaseUrl] = process.argv.slice(2);
const app = Fastify();

if (kind === "empty") {
  app.get("/", async (_request, reply) => reply.send(""));
} else {
  const INT8 = 20;
  pg.types.setTypeParser(INT8, Number);
  // The size of the product's own pool.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const text = { type: "string" };
  const response = {
    200: {
      type: "object",
      properties: {
        realm_id: text,
        user_id: text,
        username: text,
        email: { type: ["string", "null"] },
        email_verified: { type: "boolean" },
        enabled: { type: "boolean" },
        locked: { type: "boolean" },
        attributes: { type: "object", additionalProperties: text },
        created_at: { type: "integer" },
      },
    },
  };
  const query =
    "select realm_id, user_id, username, email, email_verified, enabled, locked, attributes, created_at from users where realm_id = $1 and user_id = $2";
  app.get("/realms/:realm/users/:userId", { schema: { response } }, async (request, reply) => {
    const { realm, userId } = /** @type {{ realm: string, userId: string }} */ (request.params);
    const { rows } = await pool.query({ name: "user", text: query, values: [realm, userId] });
    return rows[0] ?? reply.callNotFound();
  });
  app.addHook("onClose", () => pool.end());
}

process.on("SIGTERM", () => {
  app.close().then(() => process.disconnect());
});
const origin = await app.listen({ host: "127.0.0.1", port: 0 });
process.send?.({ ready: true });
process.on("message", () => process.send?.({ origin }));
