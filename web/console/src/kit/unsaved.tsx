import { Button, Group, Paper, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useBlocker } from "@tanstack/react-router";
import { messagesOf } from "../app/api.ts";
import { useText } from "../i18n/index.ts";
import { confirmed } from "./confirm.tsx";

export interface UnsavedBarProps {
  readonly dirty: boolean;
  /** False while another part of the page asks about the changes. */
  readonly shown?: boolean;
  readonly saving: boolean;
  /** The reason why the last attempt was refused, because the form's own message may be far above. */
  readonly error?: unknown;
  onSave(): void;
  onDiscard(): void;
}

/** Asks before typed text is lost with the page: by a link, by Back, or with the tab. */
export function useLeaveGuard(dirty: boolean): void {
  const t = useText();
  useBlocker({
    shouldBlockFn: async () =>
      dirty &&
      !(await confirmed({
        title: t("Leave without saving?"),
        text: t("Your changes on this page are not saved."),
        action: t("Leave"),
        danger: true,
      })),
    enableBeforeUnload: () => dirty,
  });
}

/** The bar for unsaved changes on every page. The user is asked before leaving the page. */
export function UnsavedBar({ dirty, shown = true, saving, error, onSave, onDiscard }: UnsavedBarProps) {
  const t = useText();
  useLeaveGuard(dirty);
  useHotkeys([["mod+S", () => dirty && shown && !saving && onSave()]], []);
  if (!dirty || !shown) return null;
  return (
    <Paper className="unsaved-bar" withBorder shadow="md" p="sm" role="region" aria-label={t("Unsaved changes")}>
      <Group justify="space-between">
        <Text size="sm" fw={600} {...(Boolean(error) && { className: "field-error" })}>
          {error
            ? messagesOf(error)
                .map((message) => t(message))
                .join(" · ")
            : t("You have unsaved changes")}
        </Text>
        <Group gap="xs">
          <Button variant="default" size="sm" onClick={onDiscard} disabled={saving}>
            {t("Discard")}
          </Button>
          <Button size="sm" onClick={onSave} loading={saving} aria-keyshortcuts="Control+S">
            {t("Save changes")}
          </Button>
        </Group>
      </Group>
    </Paper>
  );
}
