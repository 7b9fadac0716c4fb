import { ApiProblem } from "@gatehouse/api";
import { Button, Drawer, Group, Stack } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { discards } from "./confirm.tsx";
import { succeeded } from "./notify.ts";
import type { Resource } from "./resource.ts";
import type { Draft } from "./schema.ts";
import { SchemaForm } from "./schema-form.tsx";
import { WriteError } from "./states.tsx";
import { useLeaveGuard } from "./unsaved.tsx";

interface CreateDrawerProps<T> {
  // biome-ignore lint/suspicious/noExplicitAny: create and edit forms differ by area
  readonly resource: Resource<T, any, any>;
  readonly area: string;
  readonly opened: boolean;
  close(): void;
}

/** Creates a record in a drawer, then shows its page. A value that is shown only once comes first. */
export function CreateDrawer<T>({ resource, area, opened, close }: CreateDrawerProps<T>) {
  const t = useText();
  const { api, realm } = useRealm();
  const client = useQueryClient();
  const navigate = useNavigate();
  const spec = resource.create!;
  const [draft, setDraft] = useState<Draft>(spec.defaults ?? {});
  const [error, setError] = useState<unknown>(null);
  const [saving, setSaving] = useState(false);
  const [shown, setShown] = useState<{ content: ReactNode; key: string } | null>(null);

  const dirty = opened && shown === null && JSON.stringify(draft) !== JSON.stringify(spec.defaults ?? {});
  useLeaveGuard(dirty);

  const reset = () => {
    setDraft(spec.defaults ?? {});
    setError(null);
    setShown(null);
  };
  const leave = async () => {
    if (dirty && !(await discards(t))) return;
    reset();
    close();
  };
  const open = (key: string) => {
    reset();
    close();
    void navigate({ to: `/realms/${realm}/${area}/${encodeURIComponent(key)}` as never, ignoreBlocker: true });
  };
  const create = async () => {
    setSaving(true);
    setError(null);
    try {
      const { data } = await api.send<T & Record<string, unknown>>("POST", resource.path, { body: draft });
      await client.invalidateQueries({ queryKey: [realm, "list"] });
      succeeded(t("{name} was created", { name: resource.name(data) }));
      const content = spec.after?.(data);
      if (content) setShown({ content, key: resource.key(data) });
      else open(resource.key(data));
    } catch (reason) {
      setError(reason);
    } finally {
      setSaving(false);
    }
  };

  return (
    <Drawer
      opened={opened}
      onClose={() => void leave()}
      // A click beside it, or Escape, must not discard a value that is shown once.
      closeOnClickOutside={shown === null}
      closeOnEscape={shown === null}
      title={t(`Create ${resource.singular}`)}
      position="right"
      size="lg"
    >
      {shown ? (
        <Stack>
          {shown.content}
          <Group justify="flex-end">
            <Button onClick={() => open(shown.key)}>{t("Continue")}</Button>
          </Group>
        </Stack>
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void create();
          }}
        >
          <Stack>
            <WriteError error={error} />
            <SchemaForm
              schema={spec.schema}
              draft={draft}
              sections={spec.sections}
              {...(spec.controls && { controls: spec.controls })}
              {...(spec.labels && { labels: spec.labels })}
              {...(spec.hidden && { hidden: spec.hidden })}
              {...(spec.only && { only: true })}
              problem={error instanceof ApiProblem ? error : null}
              onChange={(next) => setDraft(spec.settled?.(next, draft) ?? next)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => void leave()}>
                {t("Cancel")}
              </Button>
              <Button type="submit" loading={saving}>
                {t("Create")}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Drawer>
  );
}
