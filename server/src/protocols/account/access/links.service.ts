import Type, { type Static } from "typebox";
import type { ClientSnapshot } from "../../../applications/clients/index.ts";
import { brokerOf, findProvider, linksOfUser, providerErrors } from "../../../federation/index.ts";
import { invalidFields } from "../../../kernel/errors.ts";
import { randomToken } from "../../../kernel/vault.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { SignInRequest } from "../../../signin/authenticators/index.ts";
import { accountPath, returnTarget } from "../../../signin/login/index.ts";
import { LINK_KIND, startInteraction } from "../../../signin/run/index.ts";

export interface LinkParts {
  readonly baseUrl: string;
}

export const LinkBegun = Type.Object(
  { url: Type.String({ description: "The address to open in the user's browser. It works once, within half an hour" }) },
  { $id: "LinkBegun" },
);

/** Begins to link an account. The ticket binds the link to the user: in another user's browser it has no effect. */
export async function beginLink(
  ctx: Ctx,
  { baseUrl }: LinkParts,
  alias: string,
  { returnTo, client }: { readonly returnTo: string | undefined; readonly client: ClientSnapshot | null },
): Promise<Static<typeof LinkBegun>> {
  const provider = await findProvider(ctx.tx, ctx.realm, alias);
  if (!provider?.enabled || !brokerOf(provider.protocol)) throw providerErrors.not_found();
  if (provider.config.provisioning === "deny") throw providerErrors.no_links();
  const { id: userId } = ctx.actor;
  const links = await linksOfUser(ctx.tx, ctx.realm, userId);
  if (links.some((link) => link.providerId === provider.providerId)) throw providerErrors.already_linked();
  const ticket = randomToken();
  const target = targetOf(ctx.realm, baseUrl, client, returnTo);
  const request: SignInRequest = { link: { alias, userId }, ...(!target.startsWith("/") && { callbacks: [target] }) };
  const interactionId = await startInteraction(ctx, { kind: LINK_KIND, browser: ticket, request: { ...request }, returnTo: target });
  const query = new URLSearchParams({ ticket: `${interactionId}.${ticket}` });
  return { url: `${baseUrl}/realms/${ctx.realm}/broker/${encodeURIComponent(alias)}/link?${query}` };
}

function targetOf(realm: string, baseUrl: string, client: ClientSnapshot | null, asked: string | undefined): string {
  const home = accountPath(realm, "pages/linked-accounts");
  if (asked === undefined || client?.redirectUris.includes(asked)) return asked ?? home;
  const path = returnTarget(asked, baseUrl, "");
  const message = "returnTo must be a path of this server, or a redirect URI of the application";
  if (path === "") throw invalidFields([{ field: "returnTo", code: "invalid", message }]);
  return path;
}
