import { ApiProblem, type components } from "@gatehouse/api";
import { ActionIcon, Badge, Button, Group, Menu, Paper, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { errorAt } from "../kit/field-error.ts";
import { withCode } from "../kit/fields.tsx";
import { Icon } from "../kit/icon.tsx";
import { succeeded } from "../kit/notify.ts";
import type { TabProps } from "../kit/resource.ts";
import { Failure, Rows, WriteError } from "../kit/states.tsx";
import { UnsavedBar } from "../kit/unsaved.tsx";
import { StepConfig } from "./flows.config.tsx";
import { canRequire, RequireSecondFactor } from "./flows.require.tsx";
import { NoMail } from "./no-mail.tsx";

type Flow = components["schemas"]["Flow"];
type Authenticator = components["schemas"]["Authenticator"];

/** A step is an authenticator or a group of steps. */
export interface Step {
  authenticator?: string;
  alias?: string;
  requirement: string;
  config?: Record<string, unknown>;
  steps?: Step[];
}

/** The steps that are left out if the realm sends no mail. */
const MAILED: ReadonlySet<string> = new Set(["email-otp", "magic-link"]);
const REQUIREMENTS = ["REQUIRED", "ALTERNATIVE", "CONDITIONAL", "DISABLED"];

/** Edits the steps as an ordered list with buttons, so that it works by keyboard and screen reader. Nothing is saved before the user asks for it. */
export function FlowEditor({ item, path, session, reload }: TabProps<Flow>) {
  const t = useText();
  const { api, realm, may } = session;
  const [draft, setDraft] = useState<Step[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [saving, setSaving] = useState(false);
  const authenticators = useQuery({
    queryKey: [realm, "authenticators"],
    queryFn: async () => (await api.list<Authenticator>("/authenticators")).items,
  });
  if (authenticators.isLoadingError) return <Failure error={authenticators.error} />;
  if (authenticators.isPending) return <Rows count={4} />;
  const stored = item.steps as Step[];
  const steps = draft ?? stored;
  const readOnly = !may("manage-authorization");
  const save = async () => {
    setSaving(true);
    setError(null);
    try {
      await api.send("PUT", path, { body: { displayName: item.displayName, steps } });
      succeeded(t("Saved"));
      setDraft(null);
      await reload();
    } catch (reason) {
      setError(reason);
    } finally {
      setSaving(false);
    }
  };
  return (
    <Stack maw={860}>
      <Text size="sm">
        {t("All required steps must be passed, one alternative is enough, and a conditional group applies if its conditions hold.")}
      </Text>
      {!readOnly && (item.alias === "browser" || !item.builtIn) && canRequire(steps) && (
        <RequireSecondFactor
          steps={steps}
          onChange={(next) => {
            setError(null);
            setDraft(next);
          }}
        />
      )}
      <WriteError error={error} />
      <Steps
        steps={steps}
        path="steps"
        authenticators={authenticators.data}
        problem={error instanceof ApiProblem ? error : null}
        readOnly={readOnly}
        onChange={(next) => {
          setError(null);
          setDraft(next);
        }}
      />
      <UnsavedBar
        dirty={draft !== null && JSON.stringify(draft) !== JSON.stringify(stored)}
        saving={saving}
        error={error}
        onSave={() => void save()}
        onDiscard={() => {
          setDraft(null);
          setError(null);
        }}
      />
    </Stack>
  );
}

interface StepsProps {
  readonly steps: readonly Step[];
  /** The path in the form in which problems name it. */
  readonly path: string;
  readonly authenticators: readonly Authenticator[];
  readonly problem: ApiProblem | null;
  readonly readOnly: boolean;
  onChange(steps: Step[]): void;
}

function Steps({ steps, path, authenticators, problem, readOnly, onChange }: StepsProps) {
  const t = useText();
  const set = (index: number, step: Step) => onChange(steps.map((one, place) => (place === index ? step : one)));
  const move = (index: number, by: number) => {
    const next = [...steps];
    const [step] = next.splice(index, 1);
    next.splice(index + by, 0, step!);
    onChange(next);
  };
  const nameOf = (step: Step) =>
    step.alias ?? t(authenticators.find(({ name }) => name === step.authenticator)?.displayName ?? step.authenticator ?? "");
  return (
    <Stack gap="xs" component="ol" className="steps">
      {steps.map((step, index) => {
        const here = `${path}.${index}`;
        const error = errorAt(problem, here, t);
        const name = nameOf(step);
        return (
          <li key={`${step.authenticator ?? "group"}-${here}`}>
            <Paper withBorder p="sm" radius="md">
              <Group justify="space-between" align="flex-start">
                <Stack gap={2} flex="1 1 200px">
                  <Group gap="xs">
                    {step.steps && !readOnly ? (
                      <TextInput
                        aria-label={t("Name of the group")}
                        size="xs"
                        value={step.alias ?? ""}
                        onChange={(event) => set(index, { ...step, alias: event.currentTarget.value })}
                      />
                    ) : (
                      <Text fw={600}>{name}</Text>
                    )}
                    {step.steps && <Badge variant="light">{t("group")}</Badge>}
                  </Group>
                  {step.authenticator && (
                    <Text size="xs" c="dimmed">
                      {withCode(t(authenticators.find((one) => one.name === step.authenticator)?.description ?? ""))}
                    </Text>
                  )}
                  {MAILED.has(step.authenticator ?? "") && step.requirement !== "DISABLED" && <NoMail />}
                  {error && (
                    <Text size="sm" c="red" role="alert">
                      {error}
                    </Text>
                  )}
                </Stack>
                <Group gap={4} className="step-buttons">
                  <Select
                    aria-label={t("Requirement of {name}", { name })}
                    data={REQUIREMENTS.map((value) => ({ value, label: t(value) }))}
                    value={step.requirement}
                    disabled={readOnly}
                    allowDeselect={false}
                    size="xs"
                    w={140}
                    onChange={(requirement) => requirement && set(index, { ...step, requirement })}
                  />
                  <ActionIcon
                    variant="default"
                    disabled={readOnly || index === 0}
                    aria-label={t("Move {name} up", { name })}
                    onClick={() => move(index, -1)}
                  >
                    <Icon name="arrow-up" />
                  </ActionIcon>
                  <ActionIcon
                    variant="default"
                    disabled={readOnly || index === steps.length - 1}
                    aria-label={t("Move {name} down", { name })}
                    onClick={() => move(index, 1)}
                  >
                    <Icon name="arrow-down" />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    disabled={readOnly}
                    aria-label={t("Remove {name}", { name })}
                    onClick={() => onChange(steps.filter((_, place) => place !== index))}
                  >
                    <Icon name="trash" />
                  </ActionIcon>
                </Group>
              </Group>
              {step.authenticator && (
                <StepConfig
                  step={step}
                  authenticators={authenticators}
                  readOnly={readOnly}
                  onChange={(config) => set(index, { ...step, config })}
                />
              )}
              {step.steps && (
                <Stack className="inner-steps" pt="sm">
                  <Steps
                    steps={step.steps}
                    path={`${here}.steps`}
                    authenticators={authenticators}
                    problem={problem}
                    readOnly={readOnly}
                    onChange={(inner) => set(index, { ...step, steps: inner })}
                  />
                </Stack>
              )}
            </Paper>
          </li>
        );
      })}
      {!readOnly && <AddStep authenticators={authenticators} add={(step) => onChange([...steps, step])} />}
    </Stack>
  );
}

function AddStep({ authenticators, add }: { authenticators: readonly Authenticator[]; add(step: Step): void }) {
  const t = useText();
  return (
    <Group component="li">
      <Menu>
        <Menu.Target>
          <Button variant="default" size="xs" leftSection={<Icon name="plus" size={14} />}>
            {t("Add a step")}
          </Button>
        </Menu.Target>
        <Menu.Dropdown mah={360} className="scrolling">
          {authenticators.map(({ name, displayName }) => (
            <Menu.Item key={name} onClick={() => add({ authenticator: name, requirement: "REQUIRED" })}>
              {t(displayName)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        variant="default"
        size="xs"
        onClick={() => add({ alias: `group-${crypto.randomUUID().slice(0, 8)}`, requirement: "ALTERNATIVE", steps: [] })}
      >
        {t("Add a group")}
      </Button>
    </Group>
  );
}
