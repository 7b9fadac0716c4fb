import { Alert, Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useText } from "../i18n/index.ts";
import { health } from "./api.ts";
import { outdated } from "./later.ts";

/** The interval between two attempts to reach the server while it does not answer. */
const AGAIN = 5_000;

/** Says that the server does not answer, and calls it again until it does. Typed text stays. */
export function ServerHealth({ realm }: { realm: string }) {
  const t = useText();
  const client = useQueryClient();
  const state = health.use();
  const well = state === "well";
  const isOld = outdated.use();
  useEffect(() => {
    if (well) return;
    const asking = setInterval(() => void client.refetchQueries({ queryKey: [realm, "whoami"] }), AGAIN);
    return () => {
      clearInterval(asking);
      // Requests that failed meanwhile are repeated.
      void client.refetchQueries({ type: "active", predicate: (query) => query.state.status === "error" || query.isStale() });
    };
  }, [well, client, realm]);
  if (isOld)
    return (
      <Alert color="orange" mb="md" role="status" className="health">
        <Group justify="space-between">
          <Text size="sm">{t("The server has a newer version of the console. Reload this page.")}</Text>
          <Button size="xs" variant="default" onClick={() => location.reload()}>
            {t("Load again")}
          </Button>
        </Group>
      </Alert>
    );
  if (well) return null;
  return (
    <Alert color="orange" mb="md" role="status" className="health">
      <Group justify="space-between">
        <Text size="sm">
          {state === "failing"
            ? t("The server answers with errors. This page may be old. Your input stays.")
            : t("The server cannot be reached. This page may be old. Your input stays.")}
        </Text>
        <Button size="xs" variant="default" onClick={() => void client.refetchQueries({ type: "active" })}>
          {t("Try again")}
        </Button>
      </Group>
    </Alert>
  );
}
