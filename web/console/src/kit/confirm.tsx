import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { createStore } from "../app/store.ts";
import { type Translate, useText } from "../i18n/index.ts";

export interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly danger?: boolean;
  /** The text that the user has to type, for actions that cannot be undone. */
  readonly typed?: string | undefined;
}

interface Asked {
  readonly question: Confirmation;
  answer(yes: boolean): void;
}
const asked = createStore<Asked | null>(null);

/** Returns the element that gets the focus back after a dialog: the button of a menu, because the chosen item is gone by then. */
function focusedBefore(): HTMLElement | null {
  const here = document.activeElement as HTMLElement | null;
  const menu = here?.closest("[role=menu]");
  return menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : here;
}

/** Asks in a dialog. Resolves to true if the user confirms. */
export function confirmed(question: Confirmation): Promise<boolean> {
  asked.get()?.answer(false);
  const before = focusedBefore();
  return new Promise((resolve) => {
    asked.set({
      question,
      answer: (yes) => {
        asked.set(null);
        resolve(yes);
        setTimeout(() => document.activeElement === document.body && before?.focus());
      },
    });
  });
}

/** Asks before typed text is lost. */
export const discards = (t: Translate): Promise<boolean> =>
  confirmed({ title: t("Discard this?"), text: t("What you typed here is not saved."), action: t("Discard"), danger: true });

export function ConfirmDialog() {
  const current = asked.use();
  return current && <Dialog key={current.question.text} {...current} />;
}

function Dialog({ question, answer }: Asked) {
  const t = useText();
  const [typed, setTyped] = useState("");
  const ready = question.typed === undefined || typed === question.typed;
  return (
    <Modal opened onClose={() => answer(false)} title={question.title} centered>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) answer(true);
        }}
      >
        <Stack>
          <Text size="sm">{question.text}</Text>
          {question.typed !== undefined && (
            <TextInput
              label={t("Type {text} to confirm", { text: question.typed })}
              value={typed}
              autoComplete="off"
              data-autofocus
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => answer(false)}>
              {t("Cancel")}
            </Button>
            <Button
              type="submit"
              disabled={!ready}
              {...(question.danger && { color: "red" })}
              {...(question.typed === undefined && { "data-autofocus": true })}
            >
              {question.action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
