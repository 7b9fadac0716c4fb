import { ApiProblem } from "@gatehouse/api";
import { notifications } from "@mantine/notifications";
import { messagesOf } from "../app/api.ts";
import { loadSentences, translate } from "../i18n/index.ts";

/** Shows that something was done. A message that is still shown is not shown twice. */
export const succeeded = (message: string) => void notifications.show({ id: message, message, color: "teal" });

/** Shows a value once, until it is closed. */
export const shown = (title: string, value: string) =>
  void notifications.show({ title: translate(title), message: value, color: "orange", autoClose: false });

/** Shows why something failed, unless the user cancelled it. */
export const failed = (error: unknown): void => void loadSentences().then(() => showFailure(error));

function showFailure(error: unknown): void {
  const requestId = error instanceof ApiProblem ? error.problem.requestId : undefined;
  const message =
    messagesOf(error)
      .map((message) => translate(message))
      .join(" · ") + (requestId ? ` (${requestId})` : "");
  notifications.show({ title: translate("That did not work"), message, color: "red", autoClose: 10_000 });
}
