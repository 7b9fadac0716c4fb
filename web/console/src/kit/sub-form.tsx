import { ApiProblem } from "@gatehouse/api";
import { Button, Drawer, Group, Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { discards } from "./confirm.tsx";
import { Icon } from "./icon.tsx";
import { succeeded } from "./notify.ts";
import type { FormSpec } from "./resource.ts";
import type { Draft } from "./schema.ts";
import { SchemaForm } from "./schema-form.tsx";
import { WriteError } from "./states.tsx";
import { useLeaveGuard } from "./unsaved.tsx";

export interface FormDrawerProps {
  readonly title: string;
  readonly path: string;
  readonly method?: "POST" | "PUT";
  /** The version of the edited record. */
  readonly etag?: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: forms differ by page
  readonly form: FormSpec<any>;
  readonly defaults?: Draft;
  readonly opened: boolean;
  close(): void;
  /** Returns a value that is shown once afterwards, such as a token. */
  after?(created: Record<string, unknown>): ReactNode;
  reload(): Promise<unknown>;
}

/** A button that opens a form in a drawer and sends it. */
export function SubForm(props: Omit<FormDrawerProps, "opened" | "close" | "etag">) {
  const t = useText();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Group>
        <Button variant="default" leftSection={<Icon name="plus" />} onClick={() => setOpened(true)}>
          {t(props.title)}
        </Button>
      </Group>
      <FormDrawer {...props} opened={opened} close={() => setOpened(false)} />
    </>
  );
}

/** A form in a drawer, which is sent as a whole. */
export function FormDrawer(props: FormDrawerProps) {
  const { title, path, method = "POST", etag = null, form, defaults = {}, opened, after, reload } = props;
  const t = useText();
  const { api } = useRealm();
  const [draft, setDraft] = useState<Draft>(defaults);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [shown, setShown] = useState<ReactNode>(null);
  const dirty = opened && shown === null && JSON.stringify(draft) !== JSON.stringify(defaults);
  useLeaveGuard(dirty);
  const close = () => {
    props.close();
    setDraft(defaults);
    setError(null);
    setShown(null);
  };
  const leave = async () => {
    if (!dirty || (await discards(t))) close();
  };
  const submit = async () => {
    setBusy(true);
    setError(null);
    try {
      const { data } = await api.send<Record<string, unknown>>(method, path, { body: draft, ifMatch: etag });
      succeeded(t("Done"));
      await reload();
      const content = after?.(data);
      if (content) setShown(content);
      else close();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Drawer
      opened={opened}
      onClose={() => void leave()}
      // A click beside it, or Escape, must not discard a value that is shown once.
      closeOnClickOutside={shown === null}
      closeOnEscape={shown === null}
      title={t(title)}
      position="right"
      size="lg"
    >
      {shown ? (
        <Stack>
          {shown}
          <Group justify="flex-end">
            <Button onClick={close}>{t("Close")}</Button>
          </Group>
        </Stack>
      ) : (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Stack>
            <WriteError error={error} />
            <SchemaForm
              schema={form.schema}
              draft={draft}
              sections={form.sections}
              {...(form.controls && { controls: form.controls })}
              {...(form.labels && { labels: form.labels })}
              {...(form.hidden && { hidden: form.hidden })}
              {...(form.only && { only: true })}
              problem={error instanceof ApiProblem ? error : null}
              onChange={(next) => setDraft(form.settled?.(next, draft) ?? next)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => void leave()}>
                {t("Cancel")}
              </Button>
              <Button type="submit" loading={busy}>
                {t("Save")}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Drawer>
  );
}
