import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { Picker, roleNamePicker } from "../kit/picker.tsx";
import type { Step } from "./flows.editor.tsx";

const FACTORS = ["passkey", "totp", "push"];

/** Tells whether the step is a group that asks users who have a second factor for it. */
const asksOwners = ({ steps = [] }: Step): boolean =>
  steps[0]?.authenticator === "condition-credential" && steps[0].config?.negate !== true;

/** Tells whether the flow asks for second factors, so that they can be required. */
export const canRequire = (steps: readonly Step[]): boolean => steps.some((step) => asksOwners(step) || canRequire(step.steps ?? []));

const aliasesIn = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ alias, steps: inner = [] }) => [...(alias ? [alias] : []), ...aliasesIn(inner)]);

/**
 * Returns the steps by which users without a second factor, all or those with a role, set one up. Each group stands after one that asks users who have a second
 * factor for it, so nobody is asked twice.
 */
function required(steps: readonly Step[], role: string | null, taken: string[] = aliasesIn(steps)): Step[] {
  const free = (name: string, count = 1): string => {
    const alias = count === 1 ? name : `${name}-${count}`;
    if (taken.includes(alias)) return free(name, count + 1);
    taken.push(alias);
    return alias;
  };
  const setUp = (): Step => ({
    alias: free("required-second-factor"),
    requirement: "CONDITIONAL",
    steps: [
      ...(role === null ? [] : [{ authenticator: "condition-role", requirement: "REQUIRED", config: { roles: [role] } }]),
      { authenticator: "condition-credential", requirement: "REQUIRED", config: { types: FACTORS, negate: true } },
      {
        alias: free("required-second-factor-ways"),
        requirement: "REQUIRED",
        steps: [
          { authenticator: "passkey", requirement: "ALTERNATIVE" },
          { authenticator: "totp", requirement: "ALTERNATIVE" },
        ],
      },
    ],
  });
  return steps.flatMap((step) => [
    step.steps ? { ...step, steps: required(step.steps, role, taken) } : step,
    ...(asksOwners(step) ? [setUp()] : []),
  ]);
}

/** A button that adds the steps by which a second factor is required. They are saved with the flow. */
export function RequireSecondFactor({ steps, onChange }: { steps: readonly Step[]; onChange(steps: Step[]): void }) {
  const t = useText();
  const [opened, setOpened] = useState(false);
  const [role, setRole] = useState<string | null>(null);
  const close = () => {
    setOpened(false);
    setRole(null);
  };
  return (
    <Group>
      <Button variant="default" onClick={() => setOpened(true)}>
        {t("Require a second factor")}
      </Button>
      <Modal opened={opened} onClose={close} title={t("Require a second factor")} centered>
        <Stack>
          <Text size="sm">
            {t("Users who have a second factor are asked for it already. These steps let the others set one up at their next sign-in.")}
          </Text>
          <Picker {...roleNamePicker} label="Only of users with this role" chosen={role} onChoose={setRole} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t("Cancel")}
            </Button>
            <Button
              onClick={() => {
                onChange(required(steps, role));
                close();
              }}
            >
              {t("Add the steps")}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </Group>
  );
}
