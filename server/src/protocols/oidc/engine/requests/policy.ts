import { type Client, errors, interactionPolicy, type KoaContextWithOIDC } from "oidc-provider";
import { oncePer } from "../../../../kernel/once.ts";
import type { VisitorFacts } from "../../../../signin/authenticators/index.ts";
import { type SessionStanding, standingOf } from "../../../../signin/run/index.ts";
import { accessRefusal, needsConsent, requestedAcr } from "../../../tokens/index.ts";
import { type Pending, signInRequestOf } from "../../authorize/index.ts";
import { ACR_VALUES, promptValues } from "../../capabilities.ts";
import type { RealmParts } from "../../parts.ts";
import { partsOf, requestOf } from "../context.ts";
import { snapshotOf } from "../models/client.ts";
import { isLoaded } from "../models/grant.ts";
import { liveSessionOf } from "../models/session.ts";
import { requestedDetails } from "./existing-grant.ts";

/** Tells whether the session is sufficient for the client's flow. Several checks ask for it, so it is computed once per request. */
const sessionStanding = oncePer(async (ctx: KoaContextWithOIDC): Promise<SessionStanding> => {
  const parts = partsOf(ctx);
  const session = liveSessionOf(ctx.oidc.session);
  const request = requestOf(ctx);
  const flows = await parts.flows.get(parts.realm.realmId);
  if (!session || !request || !flows) return "enough"; // without a session the engine prompts for a login itself
  // The level has a check of its own, which requests a voluntary one only once.
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

const { base, Check, Prompt } = interactionPolicy;

/** The checks whether the session is that of the user whom the request names. */
export const ABOUT_USER = ["id_token_hint", "claims_id_token_sub_value"] as const;

/** Returns the prompts of an authorization request and their conditions. */
export function createPolicy(parts: RealmParts) {
  const policy = base();

  const login = policy.get("login")!;
  login.checks.remove("essential_acrs");
  login.checks.remove("essential_acr");
  login.checks.add(
    new Check("essential_acr", "the requested authentication could not be obtained", "unmet_authentication_requirements", (ctx) =>
      needsStepUp(ctx),
    ),
  );
  for (const reason of ABOUT_USER) refuseOtherUser(login.checks.get(reason)!);
  const needs = (what: "proof" | "action") => async (ctx: KoaContextWithOIDC) => (await sessionStanding(ctx)) === what;
  login.checks.add(new Check("client_flow", "the client asks for more than the session has proven", "login_required", needs("proof")));
  login.checks.add(new Check("required_actions", "the user has to do something first", "interaction_required", needs("action")));

  const consent = policy.get("consent")!;
  // RFC 8252 §8.6: native clients are covered by `consentRequired`, whose consent is remembered.
  consent.checks.remove("native_client_prompt");
  consent.checks.remove("rar_prompt");
  consent.checks.add(
    new Check(
      "rar_prompt",
      "authorization_details were requested",
      (ctx) => needsConsent(snapshotOf(ctx.oidc.client as Client)) && requestedDetails(ctx).length > 0 && !ctx.oidc.result?.consent,
      (ctx) => ({ rar: requestedDetails(ctx) }),
    ),
  );

  // A request without any scope needs consent as well, because the user allows that the client calls an API for them.
  consent.checks.add(
    new Check(
      "resource_prompt",
      "the user has not allowed the client this resource",
      (ctx) => needsConsent(snapshotOf(ctx.oidc.client as Client)) && !isLoaded(ctx.oidc.entities.Grant),
    ),
  );

  // This prompt comes after the login prompt, which identifies the user, and before the consent prompt.
  policy.add(
    new Prompt(
      { name: "access", requestable: false },
      new Check("not_allowed", "the user may not use this client", "access_denied", (ctx) => isRefused(parts, ctx)),
    ),
    1,
  );

  policy.add(new Prompt({ name: "select_account", requestable: true }), 0);
  // This prompt comes first, because a user without an account cannot sign in or choose one. The engine refuses unknown prompts.
  if (promptValues(parts.realm.settings).includes("create")) policy.add(new Prompt({ name: "create", requestable: true }), 0);
  return policy;
}

/** OpenID Connect Core §3.1.2.2: refuses the request if another user than the named one has just signed in for it. */
function refuseOtherUser(check: interactionPolicy.Check): void {
  const isOther = check.check;
  check.check = async (ctx) => {
    if (!(await isOther(ctx))) return false;
    if (ctx.oidc.result?.login && ctx.oidc.session?.accountId !== undefined)
      throw new errors.LoginRequired("another user signed in than the one the request is for");
    return true;
  };
}

/** Tells whether the user may not use the client. RFC 6749 §4.1.2.1 has one error for every refusal: `access_denied`. */
async function isRefused(parts: RealmParts, ctx: KoaContextWithOIDC): Promise<boolean> {
  const session = liveSessionOf(ctx.oidc.session);
  return session !== null && (await accessRefusal(parts, snapshotOf(ctx.oidc.client as Client), { userId: session.userId })) !== null;
}

/** OpenID Connect Core §5.5.1.1: tells whether the session lacks the requested `acr`. Refuses an essential one that is not supported. */
function needsStepUp(ctx: KoaContextWithOIDC): boolean {
  const acrClaim = ctx.oidc.claims.id_token?.acr;
  if (acrClaim?.values !== undefined && !Array.isArray(acrClaim.values))
    throw new errors.InvalidRequest("invalid claims.id_token.acr.values type");
  const requested = requestedAcr({ acr_values: ctx.oidc.params?.acr_values as string | undefined, claims: ctx.oidc.claims });
  const unmet = () => new errors.UnmetAuthenticationRequirements("none of the requested authentication context classes can be reached");
  if (requested.acr === null) {
    if (requested.essential) throw unmet();
    return false;
  }
  // A level includes the lower ones.
  if (ACR_VALUES.indexOf(ctx.oidc.acr ?? "") >= ACR_VALUES.indexOf(requested.acr)) return false;
  if (requested.essential && ctx.oidc.result?.login) throw unmet();
  // A voluntary acr prompts once, and never with prompt=none.
  return requested.essential || (ctx.oidc.session?.accountId !== undefined && !ctx.oidc.result?.login && !ctx.oidc.prompts.has("none"));
}
