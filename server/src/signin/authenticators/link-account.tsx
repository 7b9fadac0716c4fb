import Type from "typebox";
import { addLink, type BrokeredSignIn, brokeredSignInOf, isInAllowedDomain, keepTokensOf, markOf } from "../../federation/index.ts";
import { ConfirmLink, linkLead, ProviderLinks } from "../../pages/index.ts";
import type { Answer, Question, StepContext } from "./authenticator.ts";
import { enabledProvider, PROBLEMS, recordBrokerFailure, visit, visited } from "./identity-provider.tsx";

/** An identity from the provider that waits for the user to confirm the link. */
interface ReturnedIdentity {
  readonly username: string | null;
  readonly brokered: BrokeredSignIn;
}
const returnedIdentityOf = ({ data }: StepContext): ReturnedIdentity | null => (data?.arrived as ReturnedIdentity | undefined) ?? null;

const LINKED = { title: "linkAccountTakenTitle", text: "linkAccountTakenText", status: 409 } as const;

/**
 * Links an account at an identity provider to the user who asked for it: they sign in there, see the account, and confirm. It is asked
 * after the steps of a flow, of a user with recent authentication.
 */
export const linkAccount: Question = {
  kind: "question",
  displayName: "Link an account",
  description: "Signs in at an identity provider and links the account there",
  config: Type.Object({}, { additionalProperties: false }),
  ...{ identifies: false, factor: null, counted: null, fields: ["link"], setUp: null, choice: "chooseIdentityProvider" },
  available: async () => true,

  async page(at, text) {
    const { realm, request, interactionId, user } = at;
    const { alias } = request.link!;
    const provider = await enabledProvider(at, alias);
    const label = provider?.displayName ?? alias;
    const returned = returnedIdentityOf(at);
    const href = `/realms/${realm.realmId}/broker/${encodeURIComponent(alias)}/login?interaction=${interactionId}`;
    const links = provider ? [{ href, label, protocol: provider.protocol, mark: markOf(provider.protocol) }] : [];
    if (returned === null)
      return {
        title: "linkAccountTitle",
        lead: text.linkAccountText.replace("{provider}", () => label),
        body: <ProviderLinks text={text} links={links} />,
      };
    const theirs = returned.username ?? returned.brokered.subject;
    const lead = linkLead(text, { provider: label, theirs, ours: user?.username ?? "" });
    return { title: "linkAccountTitle", lead, body: <ConfirmLink text={text} /> };
  },

  async answer(at, { provider: alias, link }) {
    if (!isOfAsker(at)) return { outcome: "again", problem: PROBLEMS.failed };
    if (alias !== undefined) {
      const provider = alias === at.request.link?.alias ? await enabledProvider(at, alias) : null;
      return visit(at, provider, { loginHint: null, acr: null, fresh: false });
    }
    if (link === "no") return { outcome: "declined" };
    return confirm(at);
  },

  async returned(at, query): Promise<Answer> {
    const { parts } = at;
    if (!isOfAsker(at)) return { outcome: "again", problem: PROBLEMS.failed };
    const back = await visited(at, query);
    if ("answer" in back) return back.answer;
    const { provider, identity, linked } = back;
    const isRefused = provider.config.provisioning === "deny" ? "denied" : isInAllowedDomain(provider, identity) ? null : "domain";
    if (isRefused !== null) {
      await recordBrokerFailure(at, provider, isRefused);
      return { outcome: "again", problem: PROBLEMS[isRefused] };
    }
    if (linked !== null) {
      await recordBrokerFailure(at, provider, "linked");
      return { outcome: "again", problem: LINKED };
    }
    const returned: ReturnedIdentity = {
      username: identity.username,
      brokered: brokeredSignInOf(parts.vault, provider, identity, at.interactionId!),
    };
    return { outcome: "again", data: { alias: provider.alias, providerId: provider.providerId, arrived: returned } };
  },
};

/** Tells whether the user is still the one who asked for the link: another user may have signed in to this browser since. */
const isOfAsker = ({ progress, request }: StepContext): boolean => progress.userId !== null && progress.userId === request.link?.userId;

async function confirm(at: StepContext): Promise<Answer> {
  const { user, parts, interactionId } = at;
  const returned = returnedIdentityOf(at);
  const provider = returned && (await enabledProvider(at, at.request.link!.alias));
  if (!returned || provider?.providerId !== returned.brokered.providerId) return { outcome: "again", problem: PROBLEMS.failed };
  const { userId, username: name } = user!;
  return {
    outcome: "passed",
    proof: {
      ...{ userId, factor: null, amr: [], writesUser: true },
      async accept(ctx) {
        const { providerId, subject, basis } = returned.brokered;
        const link = { providerId, subject, basis, userId, username: returned.username };
        await addLink(ctx, provider.alias, link, { id: userId, name });
        await keepTokensOf(ctx, parts.vault, returned.brokered, { interactionId: interactionId!, userId });
        return true;
      },
    },
  };
}
