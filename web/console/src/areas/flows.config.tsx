import type { components } from "@gatehouse/api";
import { MultiSelect, Stack } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { optionsOf } from "../kit/choice-labels.ts";
import { Field, shownDescription } from "../kit/fields.tsx";
import { manyPicked } from "../kit/picked.tsx";
import { clientPicker, groupPicker } from "../kit/picker.tsx";
import { labelOf, type Schema } from "../kit/schema.ts";
import type { Control } from "../kit/schema-form.tsx";
import type { Step } from "./flows.editor.tsx";
import { RoleNames } from "./role-names.tsx";

const TYPES = ["totp", "passkey", "push", "recovery-code", "password"];

/** Chooses kinds of credentials. */
const CredentialTypes: Control = (props) => <Types {...props} />;

function Types({ value, label, readOnly, onChange }: Parameters<Control>[0]) {
  const t = useText();
  return (
    <MultiSelect
      label={label}
      data={optionsOf("credential", TYPES, t)}
      value={(value as string[] | undefined) ?? []}
      disabled={readOnly}
      onChange={onChange}
    />
  );
}

/** The members of conditions that name records of the realm. */
const RECORDS: Readonly<Record<string, Control>> = {
  roles: RoleNames,
  groups: manyPicked({ ...groupPicker, label: "Groups" }),
  clientIds: manyPicked({ ...clientPicker, label: "Applications" }),
  types: CredentialTypes,
};

interface StepConfigProps {
  readonly step: Step;
  readonly authenticators: readonly components["schemas"]["Authenticator"][];
  readonly readOnly: boolean;
  onChange(config: Record<string, unknown>): void;
}

/** The settings of the authenticator of a step, by its own schema. */
export function StepConfig({ step, authenticators, readOnly, onChange }: StepConfigProps) {
  const t = useText();
  const { properties = {}, required = [] } = (authenticators.find(({ name }) => name === step.authenticator)?.config ?? {}) as Schema;
  const config = step.config ?? {};
  const set = (name: string, value: unknown) =>
    onChange(Object.fromEntries(Object.entries({ ...config, [name]: value }).filter(([, one]) => one !== undefined)));
  if (Object.keys(properties).length === 0) return null;
  return (
    <Stack gap="xs" pt="xs">
      {Object.entries(properties).map(([name, schema]) => {
        const shared = { value: config[name], readOnly, errorOf: () => undefined, onChange: (value: unknown) => set(name, value) };
        const control = RECORDS[name];
        if (!control) return <Field key={name} name={name} path={name} schema={schema} required={required.includes(name)} {...shared} />;
        const shown = { label: t(labelOf(name)), description: shownDescription(t, schema), schema, error: undefined, bare: false };
        return <div key={name}>{control({ ...shared, ...shown, draft: config })}</div>;
      })}
    </Stack>
  );
}
