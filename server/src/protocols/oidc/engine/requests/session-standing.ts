import type { Client, KoaContextWithOIDC } from "oidc-provider";
import { oncePer } from "../../../../kernel/once.ts";
import type { VisitorFacts } from "../../../../signin/authenticators/index.ts";
import { type SessionStanding, standingOf } from "../../../../signin/run/index.ts";
import { type Pending, signInRequestOf } from "../../authorize/index.ts";
import { partsOf, requestOf } from "../context.ts";
import { snapshotOf } from "../models/client.ts";
import { liveSessionOf } from "../models/session.ts";

/** Tells whether the session is sufficient for the client's flow. Several checks ask for it, so it is computed once per request. */
export const sessionStanding = oncePer(async (ctx: KoaContextWithOIDC): Promise<SessionStanding> => {
  const parts = partsOf(ctx);
  const session = liveSessionOf(ctx.oidc.session);
  const request = requestOf(ctx);
  const flows = await parts.flows.get(parts.realm.realmId);
  if (!session || !request || !flows) return "enough"; // without a session the engine prompts for a login itself
  // The level has its own check, which asks for a voluntary one only once.
  const { acr, acrEssential, ...asked } = signInRequestOf(
    snapshotOf(ctx.oidc.client as Client),
    (ctx.oidc.params ?? {}) as Pending["params"],
  );
  const visitor = {
    ...{ session, preSession: "", sourceIp: request.ip, userAgent: request.headers["user-agent"] ?? null },
    locale: parts.realm.settings.defaultLocale as VisitorFacts["locale"],
    deviceToken: parts.cookies.device(request, parts.realm.realmId) ?? null,
  };
  const standing = await standingOf(parts, { realm: parts.realm, flows, visitor, request: asked });
  // A user who has just completed the flow for this request does not repeat it, even if the flow has changed meanwhile.
  const hasJustPassed = ctx.oidc.result?.login !== undefined && session.proofs.some(({ flow }) => flow === (asked.flow ?? "browser"));
  return standing === "proof" && hasJustPassed ? "enough" : standing;
});
