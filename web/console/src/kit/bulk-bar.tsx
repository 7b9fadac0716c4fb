import { ActionIcon, Badge, Button, CloseButton, Group, List, Menu, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { served, useText } from "../i18n/index.ts";
import { confirmed } from "./confirm.tsx";
import { failed, succeeded } from "./notify.ts";
import { Picker } from "./picker.tsx";
import type { BulkAction, BulkOutcome } from "./resource.ts";

const SHOWN = 4;

interface BulkBarProps<T> {
  readonly actions: readonly BulkAction<T>[];
  readonly items: readonly T[];
  close(): void;
}

/** Shows the actions for the selected rows. Refusals are listed row by row. */
export function BulkBar<T>({ actions, items, close }: BulkBarProps<T>) {
  const t = useText();
  const session = useRealm();
  const client = useQueryClient();
  const [running, setRunning] = useState<string | null>(null);
  const [picking, setPicking] = useState<BulkAction<T> | null>(null);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  const run = async (action: BulkAction<T>, picked: string | null) => {
    setPicking(null);
    const question = { title: t(action.title), text: t("This changes {count} records.", { count: items.length }), action: t(action.title) };
    if (!action.pick && !(await confirmed({ ...question, ...(action.danger && { danger: true, typed: String(items.length) }) }))) return;
    setRunning(action.title);
    try {
      const report = await action.run(session, items, picked);
      if (report.failed.length > 0) setOutcome(report);
      else {
        succeeded(t("{count} done", { count: report.done }));
        close();
      }
    } catch (error) {
      failed(error);
    } finally {
      setRunning(null);
      await client.invalidateQueries({ queryKey: [session.realm, "list"] });
    }
  };
  const begin = (action: BulkAction<T>) => (action.pick ? setPicking(action) : void run(action, null));
  const allowed = actions.filter(({ permission }) => permission === undefined || session.may(...permission));
  return (
    <Group gap="xs" role="region" aria-label={t("Selected rows")}>
      <Badge variant="light" size="lg">
        {t("{count} selected", { count: items.length })}
      </Badge>
      {allowed.slice(0, SHOWN).map((action) => (
        <Button
          key={action.title}
          size="xs"
          variant="default"
          loading={running === action.title}
          onClick={() => begin(action)}
          {...(action.danger && { c: "red" })}
        >
          {t(action.title)}
        </Button>
      ))}
      {allowed.length > SHOWN && (
        <Menu>
          <Menu.Target>
            <ActionIcon variant="default" aria-label={t("More actions")} loading={running !== null}>
              …
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {allowed.slice(SHOWN).map((action) => (
              <Menu.Item key={action.title} onClick={() => begin(action)} {...(action.danger && { color: "red" })}>
                {t(action.title)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <CloseButton onClick={close} aria-label={t("Clear the selection")} />
      {picking && (
        <Choose
          key={picking.title}
          action={picking}
          count={items.length}
          close={() => setPicking(null)}
          choose={(picked) => void run(picking, picked)}
        />
      )}
      {outcome && (
        <Modal
          opened
          onClose={() => {
            setOutcome(null);
            close();
          }}
          title={t("{done} done, {refused} refused", { done: outcome.done, refused: outcome.failed.length })}
        >
          <List size="sm" spacing={4}>
            {outcome.failed.map(({ name, message }) => (
              <List.Item key={name}>
                <Text span fw={600} size="sm">
                  {name}
                </Text>
                : {served(message)}
              </List.Item>
            ))}
          </List>
        </Modal>
      )}
    </Group>
  );
}

interface ChooseProps<T> {
  readonly action: BulkAction<T>;
  readonly count: number;
  close(): void;
  choose(picked: string): void;
}

function Choose<T>({ action, count, close, choose }: ChooseProps<T>) {
  const t = useText();
  const [picked, setPicked] = useState<string | null>(null);
  return (
    <Modal opened onClose={close} title={t(action.title)}>
      <Stack>
        <Picker {...action.pick!} chosen={picked} onChoose={setPicked} required />
        <Text size="sm">{t("This changes {count} records.", { count })}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t("Cancel")}
          </Button>
          <Button disabled={picked === null} onClick={() => picked !== null && choose(picked)}>
            {t(action.title)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
