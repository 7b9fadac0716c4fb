import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { callRoute, collectionRoutes, noContent, pathParams, route } from "../../platform/http/index.ts";
import { ListQuery, pageInMemory, type ShortList } from "../../platform/paging/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";
import { type PasswordParts, prepareReplacement, untilStored } from "../credentials/index.ts";
import { CreateCredential, CreatedCredential, Credential, SetPassword } from "./credentials.schema.ts";
import { createEnrollmentToken, readCredential, readCredentials, revokeCredential } from "./credentials.service.ts";
import { findUserForUpdate, setPassword } from "./service.ts";

const tags = ["Users"];
const params = pathParams("userId");
const itemParams = Type.Object({
  realm: Type.String(),
  userId: Type.String(),
  type: Type.String({ description: "The credential's type" }),
  credentialId: Type.String({ description: "The credential's id" }),
});
const write = { permission: "manage-users" } as const;
const done = Type.Null({ description: "Done" });

const credentialList: ShortList<Credential> = {
  sorts: { type: ({ type }) => type, createdAt: ({ createdAt }) => createdAt },
  names: ({ type, label }) => [type, label],
  ids: ({ id }) => [id],
};

export interface UserCredentialParts extends Required<PasswordParts> {
  readonly realms: RealmSnapshots;
}

/** Mounted under /admin/realms/:realm/users. */
export const userCredentialRoutes: FastifyPluginAsyncTypebox<UserCredentialParts> = async (app, { realms, ...passwords }) => {
  const policyOf = async (realm: string) => (await realms.get(realm))!.settings.passwordPolicy;

  route(app, "PUT", "/:userId/password", {
    config: write,
    summary: "Set a user's password",
    description:
      "The password is checked against the realm's policy (400 `password.policy`), the user's last passwords (`password.history`) and leaked " +
      "passwords (`password.breached`), in this order. Ends the user's other sessions. The password of a directory's user is set in the directory, if its " +
      "`editMode` is PASSWORD (400 `password.directory_policy` and similar codes are the directory's response); otherwise the response is 409.",
    tags,
    params,
    body: SetPassword,
    response: { 204: done },
    handler: async (req, reply) => {
      const { newPassword, temporary = false } = req.body;
      const policy = await policyOf(req.params.realm);
      await untilStored(async () => {
        // `If-Match` is checked before a directory gets the password, because a directory does not take it back.
        const user = await req.transact((ctx) => findUserForUpdate(ctx, req.params.userId));
        const change = { next: newPassword, current: null };
        const prepared = await req.read((ctx) => prepareReplacement(ctx, passwords, policy, user, change));
        return req.transact((ctx) => setPassword(ctx, user.userId, prepared, { temporary }));
      });
      return noContent(reply);
    },
  });

  collectionRoutes(app, "/:userId/credentials", {
    tags,
    params,
    record: Credential,
    list: {
      config: { permission: "view-users" },
      summary: "List a user's credentials",
      query: ListQuery,
      run: async (ctx, { userId }, query) => pageInMemory(await readCredentials(ctx, userId), credentialList, query),
    },
    create: {
      config: write,
      summary: "Create an enrollment token for a user's device",
      description: "The token works once, until it expires. It replaces an earlier one.",
      body: CreateCredential,
      answer: CreatedCredential,
      id: (made) => [made.type, made.id],
      run: (ctx, { userId }, body) => createEnrollmentToken(ctx, userId, body),
    },
  });

  callRoute(app, "GET", "/:userId/credentials/:type/:credentialId", {
    config: { permission: "view-users" },
    summary: "Read a user's credential",
    tags,
    params: itemParams,
    answer: Credential,
    read: (ctx, { params }) => readCredential(ctx, params.userId, params.type, params.credentialId),
  });

  route(app, "DELETE", "/:userId/credentials/:type/:credentialId", {
    config: write,
    summary: "Revoke a user's credential",
    description: "Sessions that were opened with it are not ended.",
    tags,
    params: itemParams,
    response: { 204: done },
    handler: async (req, reply) => {
      const { realm, userId, type, credentialId } = req.params;
      const { history } = await policyOf(realm);
      await req.transact((ctx) => revokeCredential(ctx, userId, type, credentialId, history));
      return noContent(reply);
    },
  });
};
