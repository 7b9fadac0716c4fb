import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useText } from "../i18n/index.ts";
import { type Call, CopyAsCurl } from "./curl.tsx";

interface PageHeadProps {
  readonly title: string;
  readonly description?: string;
  /** The API call behind the page. */
  readonly call: Call;
  /** Buttons beside the heading. */
  readonly children?: ReactNode;
}

/** The head of every page: its title, the API call behind it, and its actions. */
export function PageHead({ title, description, call, children }: PageHeadProps) {
  const t = useText();
  return (
    <Group justify="space-between" align="flex-start">
      <div className="page-head">
        <Title order={1} size="h2">
          {t(title)}
        </Title>
        {description !== undefined && (
          <Text c="dimmed" size="sm">
            {t(description)}
          </Text>
        )}
      </div>
      <Group gap="xs">
        <CopyAsCurl {...call} />
        {children}
      </Group>
    </Group>
  );
}
