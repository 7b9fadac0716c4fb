import { ApiProblem } from "@gatehouse/api";
import { Alert, Button, Center, List, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { messageOf, messagesOf } from "../app/api.ts";
import { useText } from "../i18n/index.ts";
import { Icon } from "./icon.tsx";

/** The statuses that a repeated request would get again: the request is wrong, not allowed, or for something that does not exist. */
const FINAL: readonly number[] = [400, 403, 404];

interface FailureProps {
  readonly error: unknown;
  retry?(): void;
  /** A way out for a request that would be refused again. */
  readonly instead?: { readonly title: string; run(): void } | undefined;
}

/** Shows an error in place of the content, with a button to try again or, if that would not help, a way out. */
export function Failure({ error, retry, instead }: FailureProps) {
  const t = useText();
  const isFinal = error instanceof ApiProblem && FINAL.includes(error.status);
  return (
    <Alert color="red" icon={<Icon name="alert" size={24} />} title={t("This could not be loaded")} role="alert">
      <Stack align="flex-start" gap="xs">
        <Text size="sm">{t(messageOf(error))}</Text>
        {retry && !isFinal && (
          <Button size="xs" variant="default" onClick={retry}>
            {t("Try again")}
          </Button>
        )}
        {isFinal && instead && (
          <Button size="xs" variant="default" onClick={instead.run}>
            {t(instead.title)}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** Shows the error of a write above its form: all of its messages, because the form may have no place for a member. */
export function WriteError({ error }: { error: unknown }) {
  const t = useText();
  if (!error) return null;
  const [first, ...others] = messagesOf(error).map((message) => t(message));
  return (
    <Alert color="red" role="alert">
      {first}
      {others.length > 0 && (
        <List size="sm" mt="xs">
          {others.map((message) => (
            <List.Item key={message}>{message}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}

export function Empty({ title, text, action }: { title: string; text?: string; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Center>
        <Stack align="center" gap="xs" maw={420}>
          <Title order={2} size="h4">
            {title}
          </Title>
          {text && (
            <Text c="dimmed" size="sm" ta="center">
              {text}
            </Text>
          )}
          {action}
        </Stack>
      </Center>
    </Paper>
  );
}

export function Rows({ count = 6 }: { count?: number }) {
  const t = useText();
  return (
    <Stack gap="xs" aria-busy aria-label={t("Loading")} role="status">
      {Array.from({ length: count }, (_, row) => `row-${row}`).map((row) => (
        <Skeleton key={row} height={44} radius="sm" />
      ))}
    </Stack>
  );
}
