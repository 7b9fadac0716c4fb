import { Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useRealm } from "../app/session.tsx";
import { EditForm } from "./edit-form.tsx";
import { PageHead } from "./page-head.tsx";
import type { FormSpec } from "./resource.ts";
import { Failure, Rows } from "./states.tsx";

export interface SingletonPageProps {
  readonly title: string;
  readonly description: string;
  readonly path: string;
  readonly manage: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: forms differ by page
  readonly form: FormSpec<any>;
  readonly children?: ReactNode;
  readonly preview?: (draft: Readonly<Record<string, unknown>>) => ReactNode;
  /** Content above the form. */
  readonly before?: ReactNode;
}

/** A page for a record of which a realm has one, such as its settings. A page that shows a part of it keeps the rest unchanged. */
export function SingletonPage({ title, description, path, manage, form, before, preview, children }: SingletonPageProps) {
  const { api, realm, may } = useRealm();
  const client = useQueryClient();
  const record = useQuery({
    queryKey: [realm, "record", path],
    queryFn: ({ signal }) => api.get<Record<string, unknown>>(path, { signal }),
  });
  return (
    <Stack gap="md">
      <PageHead title={title} description={description} call={{ path: api.url(path) }} />
      {record.isPending ? (
        <Rows />
      ) : record.isLoadingError ? (
        <Failure error={record.error} retry={() => record.refetch()} />
      ) : (
        <EditForm
          form={form}
          value={record.data.data}
          etag={record.data.etag}
          path={path}
          readOnly={!may(...manage)}
          before={before}
          preview={preview}
          onSaved={() => void client.invalidateQueries({ queryKey: [realm] })}
        />
      )}
      {children}
    </Stack>
  );
}
