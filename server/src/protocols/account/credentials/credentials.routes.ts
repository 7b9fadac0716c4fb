import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import {
  CreatedOwnCredential,
  CreateOwnCredential,
  Credential,
  CredentialSetup,
  createOwnEnrollmentToken,
  createOwnRecoveryCodes,
  RenameCredential,
  readCredentials,
  revokeOwnCredential,
} from "../../../directory/users/index.ts";
import { invalidFields } from "../../../kernel/errors.ts";
import { callRoute, noContent, noContentAnswer, pathParams, route } from "../../../platform/http/index.ts";
import { creationOptions, type RegistrationParts } from "../../../signin/passkeys/index.ts";
import { changeSignIn } from "../audience.ts";
import { addOwnPasskey, ownRegistration, renameOwnPasskey } from "./passkeys.service.ts";
import { confirmOwnTotp, startOwnTotp } from "./totp.service.ts";

const onlyThey = "Refused for an administrator who acts as the user.";
const bySession = `${onlyThey} Administrators use their session.`;

/** Mounted under /realms/:realm/account/credentials. */
export const ownCredentialRoutes: FastifyPluginAsyncTypebox<RegistrationParts> = async (app, parts) => {
  callRoute(app, "GET", "/", {
    summary: "List your credentials",
    description: onlyThey,
    answer: Type.Array(Credential),
    read: (ctx) => readCredentials(ctx, ctx.actor.id),
  });

  route(app, "POST", "/", {
    config: { recentAuthentication: true, versioned: true },
    summary: "Add a passkey or an authenticator app, or make recovery codes or an enrollment token",
    description: `Codes and tokens each work once, and replace those that were made before. ${bySession}`,
    body: CreateOwnCredential,
    response: { 200: CredentialSetup, 201: CreatedOwnCredential },
    handler: async (req, reply) => {
      const { credential, setup, code, ...sent } = req.body;
      if (sent.type === "totp") {
        const { type, label = null, ...others } = sent;
        refuseOthers({ ...others, ...(credential !== undefined && { credential }) }, type);
        if (setup === undefined && code === undefined) return reply.code(200).send(await startOwnTotp(parts, req));
        if (setup === undefined || code === undefined) throw missingHalf(setup === undefined ? "setup" : "code");
        return reply.code(201).send(await confirmOwnTotp(parts, req, { setup, code, label }));
      }
      refuseOthers({ ...(setup !== undefined && { setup }), ...(code !== undefined && { code }) }, sent.type);
      if (sent.type === "passkey") {
        const { type, label = null, ...others } = sent;
        refuseOthers(others, type);
        const registering = await ownRegistration(req);
        if (credential === undefined) return reply.code(200).send({ type, options: await creationOptions(parts, registering) });
        return reply.code(201).send(await addOwnPasskey(parts, req, registering, JSON.stringify(credential), label));
      }
      if (credential !== undefined) refuseOthers({ credential }, sent.type);
      const made = await changeSignIn(req, async (ctx) => {
        const { type, ...input } = sent;
        if (type === "enrollment-token") return createOwnEnrollmentToken(ctx, { type, ...input });
        refuseOthers(input, type);
        return createOwnRecoveryCodes(ctx);
      });
      return reply.code(201).send(made);
    },
  });

  callRoute(app, "PUT", "/passkey/:credentialId", {
    summary: "Rename one of your passkeys",
    description: onlyThey,
    params: pathParams("credentialId"),
    body: RenameCredential,
    answer: Credential,
    transact: (ctx, req) => renameOwnPasskey(ctx, req.params.credentialId, req.body.label),
  });

  route(app, "DELETE", "/:type/:credentialId", {
    config: { recentAuthentication: true, versioned: true },
    summary: "Remove one of your credentials",
    description: `The last credential with which you can sign in cannot be removed (409). Ends no session. ${bySession}`,
    params: pathParams("type", "credentialId"),
    response: noContentAnswer("Removed"),
    handler: async (req, reply) => {
      const { type, credentialId } = req.params;
      const { history } = req.realm.settings.passwordPolicy;
      return noContent(reply, await changeSignIn(req, (ctx) => revokeOwnCredential(ctx, type, credentialId, history)));
    },
  });
};

const missingHalf = (field: "setup" | "code") =>
  invalidFields([{ field, code: "required", message: `${field} is required: setup and code confirm an authenticator app together` }]);

/** Refuses members that have no meaning for this type. */
function refuseOthers(input: object, type: string): void {
  const errors = Object.keys(input).map((field) => ({ field, code: "unknown", message: `${field} has no meaning for ${type}` }));
  if (errors.length > 0) throw invalidFields(errors);
}
