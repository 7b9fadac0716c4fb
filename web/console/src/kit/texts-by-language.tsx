import { ActionIcon, Fieldset, Group, Select, Stack, Text, Textarea } from "@mantine/core";
import { useLanguage, useText } from "../i18n/index.ts";
import { Icon } from "./icon.tsx";
import { localeName, pageLocales } from "./page-locales.ts";

interface TextsByLanguageProps {
  readonly label: string;
  readonly description?: string;
  readonly value: Readonly<Record<string, string>>;
  readonly error?: string | undefined;
  readonly readOnly: boolean;
  onChange(value: Readonly<Record<string, string>>): void;
}

/** Edits one text in several languages. Choosing a language adds it, and clearing its text removes it. */
export function TextsByLanguage({ label, description, value, error, readOnly, onChange }: TextsByLanguageProps) {
  const t = useText();
  const language = useLanguage();
  const without = (tag: string) => Object.fromEntries(Object.entries(value).filter(([one]) => one !== tag));
  const others = pageLocales.filter((tag) => !(tag in value));
  return (
    <Fieldset legend={label}>
      <Stack gap="sm">
        {description !== undefined && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
        {Object.entries(value).map(([tag, text]) => (
          <Group key={tag} gap="xs" align="flex-end" wrap="nowrap">
            <Textarea
              className="grow"
              label={localeName(tag, language)}
              lang={tag}
              dir="auto"
              autosize
              minRows={1}
              maxRows={8}
              disabled={readOnly}
              value={text}
              onChange={(event) => onChange({ ...value, [tag]: event.currentTarget.value })}
            />
            {!readOnly && (
              <ActionIcon
                variant="subtle"
                color="red"
                size="lg"
                aria-label={t("Remove {name}", { name: localeName(tag, language) })}
                onClick={() => onChange(without(tag))}
              >
                <Icon name="trash" />
              </ActionIcon>
            )}
          </Group>
        ))}
        {!readOnly && others.length > 0 && (
          <Select
            label={t("Add a language")}
            placeholder={t("Choose one")}
            data={others.map((tag) => ({ value: tag, label: localeName(tag, language) }))}
            value={null}
            searchable
            onChange={(tag) => tag && onChange({ ...value, [tag]: "" })}
          />
        )}
        {error && (
          <Text className="field-error" role="alert">
            {error}
          </Text>
        )}
      </Stack>
    </Fieldset>
  );
}
