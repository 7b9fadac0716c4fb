import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState, useSyncExternalStore } from "react";
import { useText } from "../i18n/index.ts";

export interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly danger?: boolean;
  /** Has to be typed: for what cannot be undone. */
  readonly typed?: string | undefined;
}

let open: { question: Confirmation; answer: (yes: boolean) => void } | null = null;
const listeners = new Set<() => void>();
const show = (next: typeof open) => {
  open = next;
  for (const listener of listeners) listener();
};

/** Asks in a dialog. */
export function confirmed(question: Confirmation): Promise<boolean> {
  open?.answer(false);
  return new Promise((resolve) => {
    show({
      question,
      answer: (yes) => {
        show(null);
        resolve(yes);
      },
    });
  });
}

export function ConfirmDialog() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
  return current && <Dialog key={current.question.text} {...current} />;
}

function Dialog({ question, answer }: NonNullable<typeof open>) {
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
