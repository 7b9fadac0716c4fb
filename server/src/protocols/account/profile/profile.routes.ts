import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { noContent, noContentAnswer, route, versioned } from "../../../platform/http/index.ts";
import type { MailParts } from "../../../signin/action-tokens/index.ts";
import type { Cookies } from "../../../signin/sessions/index.ts";
import { ChangePassword, changePassword, type PasswordChangeParts } from "../credentials/password.service.ts";
import { eraseAccount } from "./erasure.service.ts";
import { Profile, UpdateProfile } from "./profile.schema.ts";
import { readProfile, saveProfile } from "./profile.service.ts";

export interface ProfileParts extends PasswordChangeParts, MailParts {
  readonly cookies: Cookies;
}

/** Mounted under /realms/:realm/account. */
export const profileRoutes: FastifyPluginAsyncTypebox<ProfileParts> = async (app, parts) => {
  route(app, "GET", "/profile", {
    config: { impersonated: true },
    summary: "Read your profile",
    response: { 200: Profile },
    handler: async (req, reply) => versioned(reply, await req.read(readProfile)),
  });

  route(app, "PUT", "/profile", {
    config: { writesRecord: true },
    summary: "Change your profile",
    description:
      "Accepts the full state, as it was read. Another email address is stored as `pendingEmail` until the link that is sent to it is used, or " +
      "until `pendingEmail` is sent as null; the current address gets a notice. Changes of username, email address and phone number need a sign-in within the last 10 minutes, with the second factor " +
      "if there is one (403 `auth.recent_authentication_required`). The realm decides whether the " +
      "username and the email address can be changed (`account` of its settings); `sub`, by which applications know you, never changes. " +
      "Administrators can change both only with their session.",
    body: UpdateProfile,
    response: { 200: Profile },
    handler: async (req, reply) => {
      const options = { policy: req.realm.settings.account, broughtBy: req.client, mail: parts };
      return versioned(reply, await req.transact((ctx) => saveProfile(ctx, req.body, options)));
    },
  });

  route(app, "PUT", "/password", {
    config: { recentAuthentication: true, limit: "account-password" },
    summary: "Change your password",
    description:
      "A wrong `currentPassword` (400 `password.wrong`) counts as a failed sign-in, up to the temporary lock (429). The new one is checked " +
      "like any other: `password.policy`, `password.history`, `password.breached`. Ends your other sessions.",
    body: ChangePassword,
    response: noContentAnswer("Changed"),
    handler: async (req, reply) => noContent(reply, await changePassword(parts, req, req.body)),
  });

  route(app, "DELETE", "/", {
    // An address below it that ends in `..` is sent with the slash: this act is for those who mean it.
    prefixTrailingSlash: "no-slash",
    config: { recentAuthentication: true },
    operationId: "eraseOwnAccount",
    summary: "Erase your account permanently",
    description:
      "Deletes your account and all data that names you before it responds; the audit trail has `erased:<uuid>` instead. It cannot be " +
      "undone. Needs the realm setting `account.erase` (403 `account.erase_off`). 409 for the last administrator of the " +
      "realm. Administrators use their session.",
    response: noContentAnswer("Erased"),
    handler: async (req, reply) => {
      await eraseAccount(parts, req);
      parts.cookies.clearSession(reply, req.realmId);
      return noContent(reply);
    },
  });
};
