import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { noContent, noContentAnswer, versioned } from "../../../platform/http/index.ts";
import type { MailParts } from "../../../signin/action-tokens/index.ts";
import type { RealmSnapshots } from "../../../tenancy/realms/index.ts";
import { ChangePassword, changePassword, type PasswordChangeParts } from "../credentials/password.service.ts";
import { Profile, UpdateProfile } from "./profile.schema.ts";
import { readProfile, saveProfile } from "./profile.service.ts";

export interface ProfileParts extends PasswordChangeParts, MailParts {
  readonly realms: RealmSnapshots;
}

/** Mounted under /realms/:realm/account. */
export const profileRoutes: FastifyPluginAsyncTypebox<ProfileParts> = async (app, { realms, ...parts }) => {
  app.get(
    "/profile",
    { config: { impersonated: true }, schema: { summary: "Read your profile", response: { 200: Profile } } },
    async (req, reply) => {
      const profile = await req.read(readProfile);
      return versioned(reply, profile);
    },
  );

  app.put(
    "/profile",
    {
      schema: {
        summary: "Change your profile",
        description:
          "Takes the full state, as it was read. Another email address is `pendingEmail` until the link that is sent to it has come back; the " +
          "present one gets a notice. Username, email address and phone number ask for a sign-in within the last 10 minutes, with the second factor " +
          "where there is one (403 `auth.recent_authentication_required`). Whether the username and the email address " +
          "can be changed is the realm's to say (`account` of its settings); what applications know you by (`sub`) never can. " +
          "Administrators change both with their session only.",
        body: UpdateProfile,
        response: { 200: Profile },
      },
    },
    async (req, reply) => {
      const policy = (await realms.get(req.realmId))!.settings.account;
      const profile = await req.transact((ctx) => saveProfile(ctx, req.body, { policy, broughtBy: req.client, mail: parts }));
      return versioned(reply, profile);
    },
  );

  app.put(
    "/password",
    {
      config: { recentAuthentication: true, limit: "account-password" },
      schema: {
        summary: "Change your password",
        description:
          "A wrong `currentPassword` (400 `password.wrong`) counts as a failed sign-in, up to the temporary lock (429). The new one is checked " +
          "like any other: `password.policy`, `password.history`, `password.breached`. Ends your other sessions.",
        body: ChangePassword,
        response: noContentAnswer("Changed"),
      },
    },
    async (req, reply) => {
      const realm = (await realms.get(req.realmId))!;
      await changePassword(parts, { ...req.body, realm, actor: req.actor!, sourceIp: req.ip });
      return noContent(reply);
    },
  );
};
