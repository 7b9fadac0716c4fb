import { ApiProblem } from "@gatehouse/api";
import { Alert, Button, Group, Radio, Stack, Table, Text } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import { messageOf } from "../app/api.ts";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { succeeded } from "./notify.ts";
import type { FormSpec } from "./resource.ts";
import { isSecret, labelOf } from "./schema.ts";
import { type Draft, SchemaForm } from "./schema-form.tsx";
import { undoable } from "./undo.tsx";
import { UnsavedBar } from "./unsaved.tsx";

export interface EditFormProps {
  // biome-ignore lint/suspicious/noExplicitAny: forms differ by area
  readonly form: FormSpec<any>;
  readonly value: Draft;
  readonly etag: string | null;
  readonly path: string;
  readonly readOnly: boolean;
  readonly method?: "PUT" | "PATCH";
  /** Shows what is typed, before it is saved. */
  readonly preview?: ((draft: Draft) => ReactNode) | undefined;
  /** Above the fields. */
  readonly before?: ReactNode;
  onSaved(): void;
}

interface Conflict {
  readonly theirs: Draft;
  readonly etag: string | null;
  readonly fields: readonly string[];
}

/** Edits a record by PUT of its full state, with If-Match. Another administrator's change is shown member by member. */
export function EditForm({ form, value, etag, path, readOnly, method = "PUT", before, preview, onSaved }: EditFormProps) {
  const t = useText();
  const { api } = useRealm();
  const stored = useMemo(() => writable(value, form), [value, form]);
  // The typed values; everything else follows the server.
  const [edited, setEdited] = useState<Draft>({});
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [saving, setSaving] = useState(false);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const draft = { ...stored, ...edited };
  const dirty = Object.keys(edited).some((name) => !same(edited[name], stored[name]));

  const discard = () => {
    setEdited({});
    setProblem(null);
    setError(null);
    setConflict(null);
  };
  const save = async (body: Draft, ifMatch: string | null) => {
    setSaving(true);
    setProblem(null);
    setError(null);
    try {
      const before = stored;
      const saved = await api.send(method, path, { body, ifMatch });
      const secret = Object.keys(edited).some((name) => isSecret(name, form.schema.properties?.[name]));
      // A secret is never read, so it cannot be put back.
      if (secret || !saved.etag) succeeded(t("Saved"));
      else
        undoable(t("Saved"), async () => {
          await api.send(method, path, { body: before, ifMatch: saved.etag });
          succeeded(t("It is as it was"));
          onSaved();
        });
      discard();
      onSaved();
    } catch (reason) {
      const other = reason instanceof ApiProblem && reason.status === 412 ? await compare().catch((failure: unknown) => failure) : null;
      if (reason instanceof ApiProblem && reason.status !== 412) setProblem(reason);
      setError(messageOf(other ?? reason));
    } finally {
      setSaving(false);
    }
  };
  const compare = async () => {
    const { data, etag: current } = await api.get<Draft>(path);
    const theirs = writable(data, form);
    const fields = Object.keys(edited).filter((name) => !same(theirs[name], stored[name]) && !same(theirs[name], edited[name]));
    setConflict({ theirs, etag: current, fields });
    return null;
  };

  const fields = (
    <Stack maw={760}>
      {before}
      {conflict ? (
        <Merge
          conflict={conflict}
          mine={edited}
          onCancel={discard}
          onSave={(chosen) => void save({ ...conflict.theirs, ...edited, ...chosen }, conflict.etag)}
        />
      ) : (
        error && (
          <Alert color="red" role="alert">
            {t(error)}
          </Alert>
        )
      )}
      <SchemaForm
        schema={form.schema}
        draft={draft}
        sections={form.sections}
        {...(form.controls && { controls: form.controls })}
        {...(form.labels && { labels: form.labels })}
        {...(form.hidden && { hidden: form.hidden })}
        {...(form.only && { only: true })}
        problem={problem}
        readOnly={readOnly}
        onChange={(next) => {
          const changed = Object.keys(next).filter((name) => !same(next[name], draft[name]));
          setEdited({ ...edited, ...Object.fromEntries(changed.map((name) => [name, next[name]])) });
        }}
      />
      <UnsavedBar dirty={dirty} shown={!conflict} saving={saving} error={error} onSave={() => void save(draft, etag)} onDiscard={discard} />
    </Stack>
  );
  if (!preview) return fields;
  return (
    <div className="beside">
      {fields}
      <aside className="beside-preview" aria-label={t("Preview")}>
        {preview(draft)}
      </aside>
    </div>
  );
}

/** The members that PUT takes; read-only ones may come along, as GET returned them. */
function writable(value: Draft, form: FormSpec<unknown>): Draft {
  const properties = form.schema.properties ?? {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => name in properties));
}

const same = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

interface MergeProps {
  readonly conflict: Conflict;
  readonly mine: Draft;
  onCancel(): void;
  onSave(chosen: Draft): void;
}

function Merge({ conflict, mine, onCancel, onSave }: MergeProps) {
  const t = useText();
  const [theirs, setTheirs] = useState<readonly string[]>([]);
  const show = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value ?? null));
  return (
    <Alert color="orange" title={t("Another administrator has changed this record")} role="alert">
      <Stack>
        <Text size="sm">
          {conflict.fields.length === 0
            ? t("You changed different members, so both changes can be kept.")
            : t("You changed the same members. Choose which values to keep; nothing else of either change is lost.")}
        </Text>
        {conflict.fields.length > 0 && (
          <Table>
            <Table.Tbody>
              {conflict.fields.map((name) => (
                <Table.Tr key={name}>
                  <Table.Th>{t(labelOf(name))}</Table.Th>
                  <Table.Td>
                    <Radio.Group
                      value={theirs.includes(name) ? "theirs" : "mine"}
                      onChange={(value) => setTheirs(value === "theirs" ? [...theirs, name] : theirs.filter((one) => one !== name))}
                      aria-label={t(labelOf(name))}
                    >
                      <Stack gap={4}>
                        <Radio value="mine" label={`${t("Mine")}: ${show(mine[name])}`} />
                        <Radio value="theirs" label={`${t("Theirs")}: ${show(conflict.theirs[name])}`} />
                      </Stack>
                    </Radio.Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        <Group>
          <Button variant="default" onClick={onCancel}>
            {t("Discard my changes")}
          </Button>
          <Button onClick={() => onSave(Object.fromEntries(theirs.map((name) => [name, conflict.theirs[name]])))}>
            {t("Save merged")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
