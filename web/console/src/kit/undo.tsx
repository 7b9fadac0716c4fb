import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { translate } from "../i18n/index.ts";
import { failed } from "./notify.ts";

/** The time in which a change can be undone. */
const OPEN = 10_000;

/** Shows what was done, with a button that undoes it. */
export function undoable(message: string, undo: () => Promise<unknown>): void {
  const id = notifications.show({
    color: "teal",
    autoClose: OPEN,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => {
            notifications.hide(id);
            undo().catch(failed);
          }}
        >
          {translate("Undo")}
        </Button>
      </Group>
    ),
  });
}
