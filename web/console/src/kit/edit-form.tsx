import { ApiProblem } from "@gatehouse/api";
import { Alert, Button, Group, Radio, Stack, Table, Text } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { at, conflictsOf, mergedOf, type Path, same } from "./merge.ts";
import { succeeded } from "./notify.ts";
import type { FormSpec } from "./resource.ts";
import { type Draft, isSecret, labelOf } from "./schema.ts";
import { SchemaForm } from "./schema-form.tsx";
import { WriteError } from "./states.tsx";
import { undoable } from "./undo.tsx";
import { UnsavedBar } from "./unsaved.tsx";

export interface EditFormProps {
  // biome-ignore lint/suspicious/noExplicitAny: forms differ by area
  readonly form: FormSpec<any>;
  readonly value: Draft;
  readonly etag: string | null;
  readonly path: string;
  readonly readOnly: boolean;
  /** Shows the typed values before they are saved. */
  readonly preview?: ((draft: Draft) => ReactNode) | undefined;
  /** Content above the fields. */
  readonly before?: ReactNode;
  onSaved(): void;
}

/** The record as it was read or saved. */
interface Version {
  readonly stored: Draft;
  readonly etag: string | null;
}

interface Conflict {
  readonly theirs: Version;
  /** The members that both have changed. */
  readonly paths: readonly Path[];
}

/** Edits a record by a PUT of its full state, with If-Match. A change by another administrator is shown member by member. */
export function EditForm({ form, value, etag, path, readOnly, before, preview, onSaved }: EditFormProps) {
  const t = useText();
  const { api } = useRealm();
  const read = useMemo<Version>(() => ({ stored: writable(value, form), etag }), [value, form, etag]);
  // A version that this form has saved or loaded. It replaces the read version whose tag is `instead`, until the page has read another one.
  const [met, setMet] = useState<(Version & { readonly instead: string | null }) | null>(null);
  const latest = met?.instead === etag ? met : read;
  const [edited, setEdited] = useState<Draft>({});
  // The version that the typed values change. It stays if a later version has other values for the same members, so that nobody's change is hidden.
  const [base, setBase] = useState<Version | null>(null);
  const current = base && Object.keys(edited).some((name) => !same(base.stored[name], latest.stored[name])) ? base : latest;
  const { stored } = current;
  const [error, setError] = useState<unknown>(null);
  const [saving, setSaving] = useState(false);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const draft = { ...stored, ...edited };
  const dirty = Object.keys(edited).some((name) => !same(edited[name], stored[name]));

  const discard = () => {
    setEdited({});
    setBase(null);
    setError(null);
    setConflict(null);
  };
  const save = async (body: Draft, ifMatch: string | null) => {
    setSaving(true);
    setError(null);
    try {
      // After a merge, undoing returns to the other administrator's version.
      const before = conflict?.theirs.stored ?? stored;
      const saved = await api.send<Draft | undefined>("PUT", path, { body, ifMatch });
      const secret = Object.keys(edited).some((name) => isSecret(name, form.schema.properties?.[name]));
      // The server never returns a secret, so a change of one cannot be undone.
      if (secret || !saved.etag) succeeded(t("Saved"));
      else
        undoable(t("Saved"), async () => {
          await api.send("PUT", path, { body: before, ifMatch: saved.etag });
          succeeded(t("It is as it was"));
          onSaved();
        });
      if (saved.etag && saved.data) setMet({ stored: writable(saved.data, form), etag: saved.etag, instead: etag });
      discard();
      onSaved();
    } catch (reason) {
      const other = reason instanceof ApiProblem && reason.status === 412 ? await compare().catch((failure: unknown) => failure) : null;
      setError(other ?? reason);
    } finally {
      setSaving(false);
    }
  };
  const compare = async () => {
    const found = await api.get<Draft>(path);
    const theirs = writable(found.data, form);
    setConflict({ theirs: { stored: theirs, etag: found.etag }, paths: conflictsOf(stored, draft, theirs) });
    return null;
  };

  const fields = (
    <Stack maw={760}>
      {before}
      {conflict ? (
        <Merge
          conflict={conflict}
          mine={draft}
          onCancel={() => {
            setMet({ ...conflict.theirs, instead: etag });
            discard();
          }}
          onSave={(taken) => void save(mergedOf(stored, draft, conflict.theirs.stored, taken) as Draft, conflict.theirs.etag)}
        />
      ) : (
        <WriteError error={error} />
      )}
      <SchemaForm
        schema={form.schema}
        draft={draft}
        sections={form.sections}
        {...(form.controls && { controls: form.controls })}
        {...(form.labels && { labels: form.labels })}
        {...(form.notes && { notes: form.notes })}
        {...(form.hidden && { hidden: form.hidden })}
        {...(form.only && { only: true })}
        problem={error instanceof ApiProblem ? error : null}
        readOnly={readOnly}
        onChange={(next) => {
          const changed = Object.entries(next).filter(([name, one]) => !same(one, stored[name]));
          setEdited(Object.fromEntries(changed));
          setBase(changed.length > 0 ? current : null);
        }}
      />
      <UnsavedBar
        dirty={dirty}
        shown={!conflict}
        saving={saving}
        error={error}
        onSave={() => void save(draft, current.etag)}
        onDiscard={discard}
      />
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

/** Returns the members that PUT accepts. Read-only ones may be included, as GET returned them. */
function writable(value: Draft, form: FormSpec<unknown>): Draft {
  const properties = form.schema.properties ?? {};
  return Object.fromEntries(Object.entries(value).filter(([name]) => name in properties));
}

interface MergeProps {
  readonly conflict: Conflict;
  readonly mine: Draft;
  onCancel(): void;
  onSave(taken: readonly Path[]): void;
}

function Merge({ conflict, mine, onCancel, onSave }: MergeProps) {
  const t = useText();
  const [taken, setTaken] = useState<readonly Path[]>([]);
  const show = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value ?? null));
  return (
    <Alert color="orange" title={t("Another administrator has changed this record")} role="alert">
      <Stack>
        <Text size="sm">
          {conflict.paths.length === 0
            ? t("You changed different members, so both changes can stay.")
            : t("You both changed the same members. Choose the values to keep. All other changes stay.")}
        </Text>
        {conflict.paths.length > 0 && (
          <Table>
            <Table.Tbody>
              {conflict.paths.map((path) => {
                const label = path.map((name) => t(labelOf(name))).join(" · ");
                return (
                  <Table.Tr key={path.join(".")}>
                    <Table.Th>{label}</Table.Th>
                    <Table.Td>
                      <Radio.Group
                        value={taken.includes(path) ? "theirs" : "mine"}
                        onChange={(value) => setTaken(value === "theirs" ? [...taken, path] : taken.filter((one) => one !== path))}
                        aria-label={label}
                      >
                        <Stack gap={4}>
                          <Radio value="mine" label={`${t("Mine")}: ${show(at(mine, path))}`} />
                          <Radio value="theirs" label={`${t("Theirs")}: ${show(at(conflict.theirs.stored, path))}`} />
                        </Stack>
                      </Radio.Group>
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        )}
        <Group>
          <Button variant="default" onClick={onCancel}>
            {t("Discard my changes")}
          </Button>
          <Button onClick={() => onSave(taken)}>{t("Save merged")}</Button>
        </Group>
      </Stack>
    </Alert>
  );
}
