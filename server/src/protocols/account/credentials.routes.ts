import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import {
  CreateCredential,
  CreatedCredential,
  Credential,
  createOwnEnrollmentToken,
  readCredentials,
  revokeOwnCredential,
} from "../../directory/users/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { assertMayChangeSignIn } from "./gate.ts";

const tags = ["Account"];
const params = Type.Object({ realm: Type.String() });
const onlyThey = "Never open to an administrator who acts as the user.";
const bySession = `${onlyThey} Those who administer the realm use their session.`;

/** Mounted under /realms/:realm/account/credentials. */
export const ownCredentialRoutes: FastifyPluginAsyncTypebox<{ realms: RealmSnapshots }> = async (app, { realms }) => {
  app.get(
    "/",
    {
      schema: { summary: "List by what you sign in", description: onlyThey, tags, params, response: { 200: Type.Array(Credential) } },
    },
    (req) => req.read((ctx) => readCredentials(ctx, ctx.actor.id)),
  );

  app.post(
    "/",
    {
      schema: {
        summary: "Make an enrollment token for a device of yours",
        description: `It works once, until it expires, and takes the place of one that was made before. ${bySession}`,
        tags,
        params,
        body: CreateCredential,
        response: { 201: CreatedCredential },
      },
    },
    async (req, reply) => {
      const made = await req.transact(async (ctx) => {
        await assertMayChangeSignIn(ctx, req.broughtBy);
        return createOwnEnrollmentToken(ctx, req.body);
      });
      return reply.code(201).send(made);
    },
  );

  app.delete(
    "/:type/:credentialId",
    {
      schema: {
        summary: "Remove one of your credentials",
        description: `The last one by which you can sign in stays (409). Ends no session. ${bySession}`,
        tags,
        params: Type.Object({
          realm: Type.String(),
          type: Type.String({ description: "The credential's type" }),
          credentialId: Type.String({ description: "The credential's id" }),
        }),
        response: { 204: Type.Null({ description: "Removed" }) },
      },
    },
    async (req, reply) => {
      const { type, credentialId } = req.params;
      const { history } = (await realms.get(req.realmId))!.settings.passwordPolicy;
      await req.transact(async (ctx) => {
        await assertMayChangeSignIn(ctx, req.broughtBy);
        await revokeOwnCredential(ctx, type, credentialId, history);
      });
      return reply.code(204).send(null);
    },
  );
};
