import { ActionIcon, Button, Fieldset, Group, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";
import type { Control } from "../kit/schema-form.tsx";

/** An attribute in the form of the API: one value or several. */
export type Values = string | readonly string[];
export const valuesOf = (item: Values = ""): string[] => [item].flat().filter((one) => one !== "");
export const asStored = (values: readonly string[]): Values => (values.length === 1 ? values[0]! : values);

/** Edits a map of names to one value or several. */
export const Attributes: Control = (props) => <AttributeEditor {...props} />;

type EditorProps = Parameters<Control>[0] & {
  /** Returns true for a name that has a field elsewhere. */
  readonly taken?: (name: string) => boolean;
};

export function AttributeEditor({ value, error, readOnly, bare, taken = () => false, onChange }: EditorProps) {
  const t = useText();
  const attributes = (value ?? {}) as Readonly<Record<string, Values>>;
  const [name, setName] = useState("");
  const set = (key: string, values: readonly string[]) => onChange({ ...attributes, [key]: asStored(values) });
  const wanted = name.trim();
  const isNew = wanted !== "" && !Object.hasOwn(attributes, wanted) && !taken(wanted);
  const add = () => {
    if (!isNew) return;
    onChange({ ...attributes, [wanted]: "" });
    setName("");
  };
  return (
    <Fieldset {...(bare ? { variant: "unstyled", m: 0, "aria-label": t("Attributes") } : { legend: t("Attributes") })} disabled={readOnly}>
      <Stack gap="xs">
        {error && (
          <Text c="red" size="sm" role="alert">
            {error}
          </Text>
        )}
        {Object.entries(attributes).map(([key, item]) => (
          <Group key={key} align="flex-end" wrap="nowrap">
            <TagsInput flex={1} label={key} value={valuesOf(item)} onChange={(values) => set(key, values)} acceptValueOnBlur />
            <ActionIcon
              variant="subtle"
              color="red"
              size="lg"
              aria-label={t("Remove {name}", { name: key })}
              onClick={() => onChange(Object.fromEntries(Object.entries(attributes).filter(([other]) => other !== key)))}
            >
              <Icon name="trash" />
            </ActionIcon>
          </Group>
        ))}
        <Group align="flex-end">
          <TextInput
            label={t("New attribute")}
            value={name}
            error={wanted !== "" && !isNew && t("This attribute is in the form already")}
            onChange={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              add();
            }}
          />
          <Button variant="default" onClick={add} disabled={!isNew}>
            {t("Add")}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}
