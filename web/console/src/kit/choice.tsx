import { Select } from "@mantine/core";
import { useText } from "../i18n/index.ts";

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly description?: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  readonly error?: string | undefined;
  onChange(value: T): void;
}

/** A choice of exactly one option from a few. */
export function Choice<T extends string>({ label, description, options, value, error, onChange }: ChoiceProps<T>) {
  const t = useText();
  return (
    <Select
      label={t(label)}
      {...(description !== undefined && { description: t(description) })}
      data={options.map((option) => ({ value: option.value, label: t(option.label) }))}
      value={value}
      allowDeselect={false}
      error={error}
      onChange={(next) => next !== null && onChange(next as T)}
    />
  );
}
