import type { FastifyReply, FastifyRequest } from "fastify";
import { assetHref, type Messages, messagesOf, nonceOf, proveLead, renderStep, type ShownLink, sendPage } from "../../pages/index.ts";
import { confirmsFirst } from "../../tenancy/settings/index.ts";
import { isProven, isTicked, newAccount, type SignInParts, type StepPage, type TextKey } from "../authenticators/index.ts";
import type { Ask } from "../flows/index.ts";
import { canTrustBy, contextOf, type Run } from "../run/index.ts";
import { secondFactors } from "../sessions/index.ts";
import { loginPath } from "./begin.ts";
import { reasonText, stepUpReason, wayBackOf } from "./step-up.ts";
import type { Visitor, Visitors } from "./visitors.ts";

export interface ShownStep {
  readonly status: number;
  /** True if the typed values are wrong. False if the problem concerns another alternative than the one that is shown. */
  readonly blames?: boolean;
  readonly problem?: { readonly title: TextKey; readonly text: TextKey };
  /** The fields that were left empty. The text of the problem names them. */
  readonly missing?: readonly string[];
  readonly notice?: TextKey;
  readonly retryAfterSeconds?: number;
  /** The alternative steps, for a page that can offer them. */
  readonly others: readonly Ask[];
}

/** Sends the page of a step. */
export async function showStep(
  { parts, visitors }: { readonly parts: SignInParts; readonly visitors: Visitors },
  { request, reply, visitor }: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly visitor: Visitor },
  run: Run,
  ask: Ask,
  { status, blames = status === 401 || status === 400, problem, missing = [], notice, retryAfterSeconds, others }: ShownStep,
) {
  const { realm } = visitor;
  const path = loginPath(realm.realmId);
  const { interaction } = run;
  const kept = { ...visitors.carried(request), ...(interaction && { interaction: interaction.interactionId }) };
  const frame = visitors.formOf(request, reply, path, kept);
  const text = messagesOf(frame);
  const at = contextOf(parts, run, ask);
  const page = await ask.question.page({ ...at, alert: problem ? { blames } : null }, text);
  const reason = stepUpReason(run, ask);
  const beside = await besideIt(parts, run, others, text);
  const { links: providers, more } = await linksBeside(parts, run, others);
  const scripts = new Set([page.script, ...beside.map(({ script }) => script)].filter((name) => name !== undefined));
  const html = renderStep({
    ...frame,
    action: path,
    hidden: { ...kept, step: ask.path },
    title: text[reason && page.title === "signInTitle" ? "stepUpTitle" : page.title],
    ...(reason && { why: reasonText(reason, run, text) }),
    wayBack: reason ? wayBackOf(run, text) : undefined,
    ...leadOf(await linkLead(parts, run, ask, text), page.lead),
    body: page.body,
    problem: problem && { title: text[problem.title], text: text[problem.text].replace("{fields}", () => labelsOf(missing, text)) },
    problemAtField: blames && page.errorAtField === true,
    ...(notice && { notice: text[notice] }),
    retryAfterSeconds,
    account: ask.question.nameIn ? undefined : accountOf(run),
    canRestart: run.progress.sessionId === undefined,
    ...(run.progress.link?.proven === false && { restart: text.linkDecline }),
    links: linksOf(run, ask, text, kept, await parts.messages.offers(realm.realmId, "EMAIL")),
    providers,
    moreProviders: more,
    others: others
      .filter(({ question }) => !question.links)
      .map(({ path: choose, question: { choice, needsScripts } }) => ({ path: choose, label: text[choice], needsScripts })),
    scripts: [...frame.scripts, ...[...scripts].map((name) => ({ src: assetHref(name), nonce: nonceOf(request) }))],
    beside,
    ...(isOnlyWay(run, ask, others) && { hint: text.onlyFactorText }),
    application: run.request.application,
    trustDays: page.refreshSeconds === undefined ? trustDays(run, ask) : undefined,
    isTrustTicked: isTicked((request.body as { trustDevice?: string } | undefined)?.trustDevice),
  });
  return sendPage(reply, status, html, {
    logos: [...providers, ...(page.links ?? []), run.request.application].flatMap((shown) => shown?.logoUrl ?? []),
    callbacks: run.request.callbacks ?? [],
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    // The address is named, because this page may be the answer to a form, or have no interaction in its address yet.
    ...(page.refreshSeconds !== undefined &&
      kept.interaction !== undefined && { refresh: { seconds: page.refreshSeconds, to: `${path}?${new URLSearchParams(kept)}` } }),
  });
}

/** The labels of fields on the pages. */
const LABELS: Readonly<Record<string, TextKey>> = {
  ...{ username: "username", password: "password", provider: "providerSearch", code: "codeLabel", credential: "passkeyField" },
  ...{
    currentPassword: "currentPassword",
    newPassword: "newPassword",
    firstName: "profileFirstName",
    lastName: "profileLastName",
  },
};
const labelsOf = (fields: readonly string[], text: Messages): string =>
  fields.map((name) => (LABELS[name] ? text[LABELS[name]] : name)).join(", ");

/** Returns what the alternative steps add to the page. */
async function besideIt(parts: SignInParts, run: Run, others: readonly Ask[], text: Messages) {
  const added = [];
  for (const ask of others) {
    const part = await ask.question.beside?.(contextOf(parts, run, ask), text);
    if (part) added.push({ path: ask.path, ...part });
  }
  return added;
}

/**
 * Returns the links of alternative steps, such as identity providers, for the page itself. `more` is the alternative whose own page
 * searches for others.
 */
async function linksBeside(parts: SignInParts, run: Run, others: readonly Ask[]) {
  const links: ShownLink[] = [];
  let more: string | undefined;
  for (const ask of others) {
    const offered = await ask.question.links?.(contextOf(parts, run, ask));
    links.push(...(offered?.links ?? []));
    if (offered?.hasMore) more = ask.path;
  }
  return { links, more };
}

/** Explains why the user needs a local credential after signing in at a provider: it names the account that is to be linked. */
async function linkLead({ brokers }: SignInParts, { realm, progress: { link } }: Run, { question }: Ask, text: Messages): Promise<Lead> {
  if (link?.proven !== false || question === newAccount) return null;
  const provider = (await brokers.providers.get(realm.realmId))?.byAlias.get(link.alias)?.displayName ?? link.alias;
  return proveLead(text, { provider, theirs: link.username ?? link.subject });
}

type Lead = ReturnType<typeof proveLead> | null;

const leadOf = (why: Lead, lead: StepPage["lead"]) =>
  why === null && !lead ? {} : { lead: [why, why !== null && lead ? " " : null, lead] };

/** Tells whether a second factor that can be lost is the only one of the user, without recovery codes. The page then says who can help. */
const isOnlyWay = ({ progress }: Run, { name }: Ask, others: readonly Ask[]): boolean =>
  others.length === 0 && isProven(progress) && secondFactors.includes(name);

/** Returns for how many days the user may trust the browser, which a second factor permits. */
const trustDays = (run: Run, ask: Ask): number | undefined => {
  const { enabled, days } = run.realm.settings.trustedDevices;
  return enabled && canTrustBy(run, ask) ? days : undefined;
};

/** Returns the typed name until a factor is proven: the username that belongs to an address would reveal that there is an account. */
export const accountOf = ({ user, progress }: Run): string | undefined =>
  (isProven(progress) ? user?.username : null) ?? progress.login ?? undefined;

/** Returns the links for a user who cannot answer: to reset the password, or to register an account. */
function linksOf(
  { realm, progress, request }: Run,
  { question, path }: Ask,
  text: Messages,
  kept: Readonly<Record<string, string>>,
  canMail: boolean,
) {
  const { passwordReset, registration } = realm.settings;
  const to = (page: string) => {
    const query = new URLSearchParams(kept).toString();
    return `/realms/${realm.realmId}/${page}${query && `?${query}`}`;
  };
  const isStuck = question.needsScripts && progress.sessionId !== undefined && path.startsWith("action:");
  const asksName = question.nameIn !== undefined && request.flow !== "reset-credentials";
  return [
    ...(passwordReset.enabled && canMail && question.counted === "password"
      ? [{ href: to("reset-password"), label: text.forgotPassword }]
      : []),
    ...(registration.enabled && (canMail || !confirmsFirst(registration)) && asksName && !isProven(progress)
      ? [{ href: to("register"), label: text.createAccount }]
      : []),
    // Without scripts, or without a device for the factor, signing out is the only way on.
    ...(isStuck ? [{ href: `/realms/${realm.realmId}/logout`, label: text.signOut }] : []),
  ];
}
