import { basisOf, createAccount, identityIn, keepsAddress } from "../../federation/index.ts";
import { ConfirmNewAccount, newAccountLead } from "../../pages/index.ts";
import { type Answer, type Question, question, type StepContext } from "./authenticator.ts";
import { enabledProvider, PROBLEMS, proofOf } from "./identity-provider.tsx";
import { linkedBy } from "./progress.ts";

/**
 * Offers a new account next to the proof of an account that has the provider's address: for people whose address another user has here, or
 * who do not want to link. The run offers it, not the flows.
 */
export const newAccount: Question = {
  ...question,
  displayName: "New account",
  description: "Makes a new account for a user of an identity provider whose address another user has",
  ...{ factor: null, counted: null, fields: ["newAccount"], choice: "chooseNewAccount" },
  available: async () => true,
  async page(at, text) {
    const { link, login } = at.progress;
    const provider = await enabledProvider(at, link!.alias);
    const identity = keptIdentity(at);
    const isKept = !provider || !identity || keepsAddress(provider, identity, link!);
    const lead = newAccountLead(text, { provider: provider?.displayName ?? link!.alias, address: login!, isKept });
    return { title: "newAccountTitle", lead, body: <ConfirmNewAccount text={text} /> };
  },
  answer,
};

const keptIdentity = ({ parts, realm, progress, interactionId }: StepContext) =>
  identityIn(parts.vault, realm.realmId, linkedBy(progress), interactionId!);

async function answer(at: StepContext): Promise<Answer> {
  const { parts, progress, visitor } = at;
  const { alias, providerId, isConfirmed } = progress.link!;
  const provider = await enabledProvider(at, alias);
  const identity = keptIdentity(at);
  // The provider was disabled, replaced or changed in the meantime.
  if (!identity || provider?.providerId !== providerId || basisOf(provider) !== linkedBy(progress).basis)
    return { outcome: "again", problem: PROBLEMS.failed };
  const from = { sourceIp: visitor.sourceIp, requestId: visitor.requestId };
  const userId = await createAccount(parts, provider, identity, { userId: progress.userId!, isConfirmed }, from);
  const proof = proofOf({ ...at, user: null }, provider, identity, { userId, hasGrants: false });
  return { outcome: "instead", proof: { ...proof, brokered: linkedBy(progress) } };
}
