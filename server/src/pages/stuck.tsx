import { Submit } from "./controls.tsx";
import type { FormTarget, PageFrame } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { renderStep, type StepView } from "./step.tsx";

interface StuckView extends Pick<StepView, keyof PageFrame | keyof FormTarget | "hidden" | "account" | "canRestart"> {
  /** An application waits for the response. */
  readonly asker: boolean;
  /** It is the level that the application asks for which cannot be reached. */
  readonly unmet: boolean;
}

/** Nothing that this user could do leads on: back to the client, or again from the beginning. */
export function renderStuck({ hidden, asker, unmet, ...view }: StuckView): string {
  const text = messagesOf(view);
  return renderStep({
    ...view,
    hidden: { ...hidden, [asker ? "giveUp" : "restart"]: "true" },
    title: text.noWayTitle,
    lead: unmet ? text.unmetText : text.noWayText,
    body: <Submit>{asker ? text.backToApplication : text.signInAgain}</Submit>,
    label: text.noWayTitle,
  });
}
