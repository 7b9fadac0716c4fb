import { Submit } from "./controls.tsx";
import type { FormTarget, PageFrame } from "./layout.tsx";
import { messagesOf } from "./messages.ts";
import { renderStep, type StepView } from "./step.tsx";

interface StuckView extends Pick<StepView, keyof PageFrame | keyof FormTarget | "hidden" | "account" | "canRestart"> {
  /** True if an application waits for the response. */
  readonly asker: boolean;
  /** True if the level that the application requires cannot be reached. */
  readonly unmet: boolean;
}

/** Renders the page for a user who cannot continue in any way: it leads back to the application, or begins again. */
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
