import schema from "virtual:schema/UpdateRealmSettings";
import type { components } from "@gatehouse/api";
import {
  Accordion,
  ActionIcon,
  Badge,
  Button,
  Checkbox,
  Fieldset,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import { useState } from "react";
import { useLanguage, useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";
import { localeName, pageLocales } from "../kit/page-locales.ts";
import type { Control } from "../kit/schema-form.tsx";
import { SingletonPage } from "../kit/singleton-page.tsx";

type Profile = NonNullable<components["schemas"]["UpdateRealmSettings"]["userProfile"]>;
type Declared = NonNullable<Profile["attributes"]>[number];
/** An attribute. A new one lacks the members that have a default. */
type Attribute = Pick<Declared, "name"> &
  Partial<Omit<Declared, "options">> & { readonly options?: readonly { value: string; displayName?: Record<string, string> }[] };
type Party = NonNullable<Attribute["edit"]>[number];

const TYPES = ["string", "email", "number", "boolean", "date", "url", "choice"] as const;
const TEXTS: readonly string[] = ["string", "email", "url"];
const LANGUAGES = ["en", "nl"] as const;

/** Edits the attributes that the realm declares. */
export const UserProfile = () => (
  <SingletonPage
    title="User profile"
    description="The attributes of this realm's users: labels, rules, and who may see and change them."
    path="/settings"
    manage={["manage-realm"]}
    form={{
      schema,
      sections: [{ fields: ["userProfile"] }],
      only: true,
      controls: { userProfile: (props) => <ProfileEditor {...props} /> },
    }}
  />
);

function ProfileEditor({ value, error, readOnly, onChange }: Parameters<Control>[0]) {
  const t = useText();
  const profile = (value ?? {}) as Profile;
  const attributes: readonly Attribute[] = profile.attributes ?? [];
  const [name, setName] = useState("");
  const [open, setOpen] = useState<string | null>(null);
  const replace = (next: readonly Attribute[]) => onChange({ ...profile, attributes: next });
  const move = (from: number, to: number) => {
    const next = [...attributes];
    next.splice(to, 0, ...next.splice(from, 1));
    replace(next);
  };
  const add = () => {
    const wanted = name.trim();
    if (wanted === "" || attributes.some((one) => one.name === wanted)) return;
    replace([...attributes, { name: wanted, view: ["admin"], edit: ["admin"] }]);
    setOpen(wanted);
    setName("");
  };
  return (
    <Stack gap="md">
      {error && (
        <Text c="red" size="sm" role="alert">
          {error}
        </Text>
      )}
      {attributes.length === 0 && (
        <Text c="dimmed" size="sm">
          {t("No attribute is declared yet. Administrators may write any attribute; users may edit the standard ones.")}
        </Text>
      )}
      <Accordion variant="separated" value={open} onChange={setOpen}>
        {attributes.map((attribute, at) => (
          <Accordion.Item key={attribute.name} value={attribute.name}>
            <Accordion.Control>
              <Group gap="xs">
                <Text fw={600}>{attribute.name}</Text>
                <Badge variant="default" tt="none">
                  {attribute.type ?? "string"}
                </Badge>
                {attribute.edit?.includes("user") && (
                  <Badge variant="default" tt="none">
                    {t("People may edit it")}
                  </Badge>
                )}
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <AttributeEditor
                attribute={attribute}
                groups={(profile.groups ?? []).map((group) => group.name)}
                readOnly={readOnly}
                onChange={(next) => replace(attributes.map((one, index) => (index === at ? next : one)))}
              />
              {!readOnly && (
                <Group mt="md" gap="xs">
                  <ActionIcon variant="default" size="lg" aria-label={t("Move up")} disabled={at === 0} onClick={() => move(at, at - 1)}>
                    <Icon name="arrow-up" />
                  </ActionIcon>
                  <ActionIcon
                    variant="default"
                    size="lg"
                    aria-label={t("Move down")}
                    disabled={at === attributes.length - 1}
                    onClick={() => move(at, at + 1)}
                  >
                    <Icon name="arrow-down" />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="red"
                    size="lg"
                    aria-label={t("Remove {name}", { name: attribute.name })}
                    onClick={() => replace(attributes.filter((_, index) => index !== at))}
                  >
                    <Icon name="trash" />
                  </ActionIcon>
                </Group>
              )}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      <Group align="flex-end">
        <TextInput
          label={t("New attribute")}
          value={name}
          disabled={readOnly}
          onChange={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
        <Button variant="default" onClick={add} disabled={readOnly || name.trim() === ""}>
          {t("Add")}
        </Button>
      </Group>
      <TagsInput
        label={t("Groups of attributes")}
        description={t("Headings on pages, in this order.")}
        disabled={readOnly}
        value={(profile.groups ?? []).map((group) => group.name)}
        onChange={(names) =>
          onChange({ ...profile, groups: names.map((one) => profile.groups?.find((group) => group.name === one) ?? { name: one }) })
        }
      />
      {(profile.groups ?? []).map((group, at) => (
        <Fieldset key={group.name} legend={group.name}>
          <Labels
            texts={group.displayName}
            readOnly={readOnly}
            onChange={(displayName) =>
              onChange({ ...profile, groups: profile.groups?.map((one, index) => (index === at ? { ...one, displayName } : one)) })
            }
          />
        </Fieldset>
      ))}
      <Switch
        label={t("Standard attributes")}
        description={t("Users may edit the standard attributes that are not declared, such as nickname, birthdate and address.")}
        disabled={readOnly}
        checked={profile.standardAttributes ?? true}
        onChange={(event) => onChange({ ...profile, standardAttributes: event.currentTarget.checked })}
      />
    </Stack>
  );
}

type Texts = Readonly<Record<string, string>>;

/** Edits the texts of a label, language by language. */
function Labels({ texts = {}, readOnly, onChange }: { texts?: Texts | undefined; readOnly: boolean; onChange(texts: Texts): void }) {
  const t = useText();
  const own = useLanguage();
  const [added, setAdded] = useState<readonly string[]>([]);
  const languages = [...new Set([...LANGUAGES, ...Object.keys(texts), ...added])];
  const others = pageLocales.filter((locale) => !languages.includes(locale));
  const change = (language: string, text: string) => {
    const { [language]: _, ...others } = texts;
    onChange(text === "" ? others : { ...others, [language]: text });
  };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {languages.map((language) => (
        <TextInput
          key={language}
          label={t("Label ({language})", { language })}
          disabled={readOnly}
          lang={language}
          dir="auto"
          value={texts[language] ?? ""}
          onChange={(event) => change(language, event.currentTarget.value)}
        />
      ))}
      {!readOnly && others.length > 0 && (
        <Select
          label={t("Add a language")}
          data={others.map((locale) => ({ value: locale, label: localeName(locale, own) }))}
          value={null}
          onChange={(locale) => locale !== null && setAdded([...added, locale])}
        />
      )}
    </SimpleGrid>
  );
}

interface AttributeEditorProps {
  readonly attribute: Attribute;
  readonly groups: readonly string[];
  readonly readOnly: boolean;
  onChange(attribute: Attribute): void;
}

function AttributeEditor({ attribute, groups, readOnly, onChange }: AttributeEditorProps) {
  const t = useText();
  const type = attribute.type ?? "string";
  const set = (members: Partial<Attribute>) => onChange({ ...attribute, ...members });
  /** Editing includes viewing, and a required attribute can be edited. */
  const party = (who: Party, member: "view" | "edit" | "required", isOn: boolean) => {
    const order = ["view", "edit", "required"] as const;
    const affected = isOn ? order.slice(0, order.indexOf(member) + 1) : order.slice(order.indexOf(member));
    const change = (name: (typeof order)[number]): Party[] => {
      const others = (attribute[name] ?? []).filter((each) => each !== who);
      return isOn ? [...others, who] : others;
    };
    set(Object.fromEntries(affected.map((name) => [name, change(name)])));
  };
  const box = (who: Party, member: "view" | "edit" | "required", text: string) => (
    <Checkbox
      label={text}
      disabled={readOnly}
      checked={attribute[member]?.includes(who) ?? false}
      onChange={(event) => party(who, member, event.currentTarget.checked)}
    />
  );
  const length = (member: "minLength" | "maxLength", text: string) => (
    <NumberInput
      label={text}
      min={0}
      max={4096}
      disabled={readOnly}
      value={attribute[member] ?? ""}
      onChange={(next) => set({ [member]: next === "" ? null : Number(next) })}
    />
  );
  return (
    <Stack gap="sm">
      <Labels texts={attribute.displayName} readOnly={readOnly} onChange={(displayName) => set({ displayName })} />
      <Group grow align="flex-start">
        <Select
          label={t("Type")}
          data={TYPES}
          value={type}
          allowDeselect={false}
          disabled={readOnly}
          onChange={(next) => {
            const chosen = (next ?? "string") as (typeof TYPES)[number];
            const plain = TEXTS.includes(chosen) ? {} : { pattern: null, minLength: null, maxLength: null };
            set({ type: chosen, ...plain, ...(chosen !== "choice" && { options: [] }) });
          }}
        />
        <Select
          label={t("Group")}
          data={[...groups]}
          value={attribute.group ?? null}
          clearable
          disabled={readOnly}
          onChange={(group) => set({ group })}
        />
      </Group>
      {type === "choice" && (
        <TagsInput
          label={t("Options")}
          disabled={readOnly}
          value={(attribute.options ?? []).map((option) => option.value)}
          onChange={(values) =>
            set({ options: values.map((one) => attribute.options?.find((option) => option.value === one) ?? { value: one }) })
          }
          acceptValueOnBlur
        />
      )}
      {TEXTS.includes(type) && (
        <Group grow align="flex-start">
          <TextInput
            label={t("Pattern")}
            disabled={readOnly}
            value={attribute.pattern ?? ""}
            onChange={(event) => set({ pattern: event.currentTarget.value || null })}
          />
          {length("minLength", t("Fewest characters"))}
          {length("maxLength", t("Most characters"))}
        </Group>
      )}
      <Group>
        {box("user", "view", t("People see it"))}
        {box("user", "edit", t("People may edit it"))}
        {box("user", "required", t("People have to give it"))}
      </Group>
      <Group>
        {box("admin", "edit", t("Administrators may edit it"))}
        {box("admin", "required", t("Administrators have to give it"))}
      </Group>
      <Group>
        <Checkbox
          label={t("Ask for it at registration")}
          disabled={readOnly}
          checked={attribute.registration ?? false}
          onChange={(event) => set({ registration: event.currentTarget.checked })}
        />
        <Checkbox
          label={t("Several values")}
          disabled={readOnly}
          checked={attribute.multivalued ?? false}
          onChange={(event) => set({ multivalued: event.currentTarget.checked })}
        />
      </Group>
    </Stack>
  );
}
