import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { clock, DAY } from "../../kernel/clock.ts";
import { route } from "../../platform/http/index.ts";

/** RFC 9116 §2.5.5 asks for less than a year. A reader that keeps the file fetches it again within a month. */
const VALID_FOR = 30 * DAY;

/** Mounted at the root: the contact for people who found a vulnerability (RFC 9116). The route exists only if the operator configured a contact. */
export const securityTxtRoutes: FastifyPluginAsyncTypebox<{ readonly contacts: readonly string[]; readonly baseUrl: string }> = async (
  app,
  { contacts, baseUrl },
) => {
  if (contacts.length === 0) return;
  route(app, "GET", "/.well-known/security.txt", {
    summary: "The contact for reports of vulnerabilities",
    description: "RFC 9116, with the contacts of `GATEHOUSE_SECURITY_CONTACTS`.",
    tags: ["Monitoring"],
    produces: ["text/plain"],
    response: { 200: Type.String({ description: "The file" }) },
    handler: async (_request, reply) => {
      const lines = [
        ...contacts.map((contact) => `Contact: ${contact}`),
        `Expires: ${new Date(clock.now() + VALID_FOR).toISOString()}`,
        `Canonical: ${baseUrl}/.well-known/security.txt`,
      ];
      return reply
        .type("text/plain; charset=utf-8")
        .header("cache-control", "public, max-age=86400")
        .send(`${lines.join("\n")}\n`);
    },
  });
};
