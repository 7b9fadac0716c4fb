import { UNAVAILABLE_SECONDS } from "../../directory/credentials/index.ts";
import { renderStuck, sendPage } from "../../pages/index.ts";
import type { SignInParts } from "../authenticators/index.ts";
import type { Ask } from "../flows/index.ts";
import { type After, isRequested, type Outcome, type Refused, type Run } from "../run/index.ts";
import { loginPath, seeOther } from "./begin.ts";
import { showPostForm } from "./post-form.ts";
import type { SignedIn } from "./start-session.ts";
import { accountOf, type ShownStep, showStep } from "./steps.ts";
import type { Exchange, Visitor, Visitors } from "./visitors.ts";

export interface Visit extends Exchange {
  readonly visitor: Visitor;
}

/** The value of `Retry-After` when the queue of the hasher is full. The queue empties within this time. */
const OVERLOAD_SECONDS = 2;

export const stepPath = ({ realm, interaction }: Run): string => loginPath(realm.realmId, interaction?.interactionId);

/** Creates the pages for the position of a sign-in and for the outcome of an answer. */
export function createReplies({ parts, visitors }: { readonly parts: SignInParts; readonly visitors: Visitors }) {
  const show = (visit: Visit, run: Run, ask: Ask, shown: ShownStep) => showStep({ parts, visitors }, visit, run, ask, shown);

  const showStuck = ({ request, reply, visitor }: Visit, { run, reason }: Refused) => {
    const { interaction, progress } = run;
    const action = loginPath(visitor.realm.realmId);
    const hidden = { ...visitors.carried(request), ...(interaction && { interaction: interaction.interactionId }) };
    const html = renderStuck({
      ...visitors.formOf(request, reply, action, hidden),
      ...{ action, hidden },
      account: accountOf(run),
      canRestart: progress.sessionId === undefined,
      asker: isRequested(interaction),
      unmet: reason === "unmet",
    });
    const { callbacks = [] } = run.request;
    return sendPage(reply, 403, html, { callbacks });
  };

  const showDeclined = ({ request, reply, visitor }: Visit) =>
    visitors.showMessage(request, reply, 403, "declined", { back: { href: loginPath(visitor.realm.realmId), label: "signInAgain" } });

  const finish = ({ request, reply, visitor }: Visit, { session, returnTo, deviceToken }: SignedIn) => {
    if (session) visitors.enter(request, reply, visitor, session);
    if (deviceToken !== null) visitors.rememberDevice(reply, visitor.realm.realmId, deviceToken);
    return seeOther(reply, returnTo);
  };

  /** Sends the page or the redirect that follows an answer. */
  const answerWith = (visit: Visit, outcome: Outcome<SignedIn>) => {
    const { reply } = visit;
    if (outcome.outcome === "pass") return finish(visit, outcome.value);
    if (outcome.outcome === "leave")
      return typeof outcome.to === "string" ? seeOther(reply, outcome.to) : showPostForm(visitors, visit, outcome.to, "brokerPostTitle");
    if (outcome.outcome === "refuse" && outcome.reason === "declined")
      return outcome.returnTo === null ? showDeclined(visit) : seeOther(reply, outcome.returnTo);
    // The answer was accepted. The browser goes to the address of the sign-in, which shows the next step.
    if (outcome.outcome === "refuse" || !outcome.after) return seeOther(reply, stepPath(outcome.run));
    // Links to providers are also on the page of another step. That step is shown, unless the user chose or searched the providers.
    const { after, run } = outcome;
    const [first] = outcome.steps;
    const isChosen = run.progress.chosen === first.path || run.progress.data[first.path]?.find !== undefined;
    const ask = (first.question.links && !isChosen ? outcome.steps.find(({ question }) => !question.links) : undefined) ?? first;
    const others = outcome.steps.filter((step) => step !== ask);
    return show(visit, run, ask, { ...shownAfter(after), ...(ask !== first && { blames: false }), others });
  };

  return { show, showStuck, answerWith };
}

function shownAfter(after: After): Omit<ShownStep, "others"> {
  switch (after.kind) {
    case "wrong":
      return { status: 401, problem: { title: after.title ?? "credentialsTitle", text: after.text } };
    case "again": {
      const { problem, notice } = after;
      return { status: problem ? (problem.status ?? 400) : 200, ...(problem && { problem }), ...(notice && { notice }) };
    }
    case "overloaded": {
      const problem = { title: "overloadedTitle", text: "overloadedTextTimed" } as const;
      return { status: 503, problem, retryAfterSeconds: OVERLOAD_SECONDS };
    }
    case "unavailable": {
      const problem = { title: "directoryAwayTitle", text: "directoryAwayTextTimed" } as const;
      return { status: 503, problem, retryAfterSeconds: UNAVAILABLE_SECONDS };
    }
    case "wait": {
      const problem = { title: "lockedOutTitle", text: "lockedOutTextTimed" } as const;
      return { status: 429, problem, retryAfterSeconds: after.retryAfterSeconds };
    }
  }
}
