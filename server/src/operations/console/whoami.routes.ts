import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import { nullable, pathParams, route } from "../../platform/http/index.ts";
import type { Messages } from "../../tenancy/messaging/index.ts";
import type { RealmSnapshots } from "../../tenancy/realms/index.ts";

const WhoAmI = Type.Object(
  {
    userId: Type.String({ description: "The id of the user, or of the client if it calls in its own name" }),
    username: Type.String(),
    realmId: Type.String({ description: "The realm of the session or token: the realm itself, or `master`" }),
    permissions: Type.Array(Type.String(), { description: "The admin permissions that the caller holds in this realm" }),
    displayName: nullable(Type.String(), "The realm's display name"),
    developmentMode: Type.Boolean(),
    sendsMail: Type.Boolean({ description: "True if the realm can send mail; otherwise, features that need mail are not offered" }),
    version: Type.String(),
  },
  {
    $id: "WhoAmI",
    examples: [
      {
        userId: "018f5b3e-7a1c-7d20-9c3e-2f4b6a8d0c1e",
        username: "admin",
        realmId: "master",
        permissions: ["realm-admin"],
        displayName: null,
        developmentMode: true,
        sendsMail: true,
        version: "0.1.0",
      },
    ],
  },
);

export interface WhoAmIParts {
  readonly realms: RealmSnapshots;
  readonly messages: Pick<Messages, "offers">;
  readonly developmentMode: boolean;
  readonly version: string;
}

/** Mounted under /admin/realms/:realm. */
export const whoAmIRoutes: FastifyPluginAsyncTypebox<WhoAmIParts> = async (app, { realms, messages, developmentMode, version }) => {
  route(app, "GET", "/whoami", {
    config: { permission: "any" },
    summary: "Read the caller and its permissions in the realm",
    tags: ["Realms"],
    params: pathParams(),
    response: { 200: WhoAmI },
    handler: async (req) => {
      const { id, name, realm, permissions } = req.actor!;
      const { displayName } = (await realms.get(req.params.realm))!.settings;
      const username = name.replace(/^master\//, "");
      const sendsMail = await messages.offers(req.params.realm, "EMAIL");
      return {
        userId: id,
        username,
        realmId: realm,
        permissions: [...permissions].sort(),
        displayName,
        developmentMode,
        sendsMail,
        version,
      };
    },
  });
};
