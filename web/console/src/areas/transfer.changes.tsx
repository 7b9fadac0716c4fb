import type { components } from "@gatehouse/api";
import { Badge, Code, Stack, Table, Text } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { ImportReport } from "./import-users.tsx";

type Report = components["schemas"]["RealmImport"];

const ACTION_COLORS = { create: "teal", update: "blue", delete: "red" } as const;

/** Shows the changes that an import would make, or has made, item by item. */
export function Changes({ report }: { report: Report }) {
  const t = useText();
  return (
    <Stack role="status">
      <Text fw={600}>
        {report.actions.length === 0
          ? t("The configuration is the same already.")
          : report.dryRun
            ? t("This would change:")
            : t("This has changed:")}
      </Text>
      {report.lacking.map(({ section, permission }) => (
        <Text key={section} size="sm">
          {t("{section} was not compared: that needs {permission}.", { section, permission })}
        </Text>
      ))}
      {report.actions.length > 0 && (
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("Section")}</Table.Th>
              <Table.Th>{t("Item")}</Table.Th>
              <Table.Th>{t("Change")}</Table.Th>
              <Table.Th visibleFrom="md">{t("Members")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {report.actions.slice(0, 500).map(({ section, key, action, changes }) => (
              <Table.Tr key={`${section} ${key} ${action}`}>
                <Table.Td>{section}</Table.Td>
                <Table.Td>{key}</Table.Td>
                <Table.Td>
                  <Badge variant="light" color={ACTION_COLORS[action]}>
                    {action}
                  </Badge>
                </Table.Td>
                <Table.Td visibleFrom="md">
                  {changes.slice(0, 8).map(({ path, before, after, secret }) => (
                    <Text key={path} size="xs" className="secret">
                      <Code>{path}</Code>{" "}
                      {secret ? t("a secret") : action === "update" ? `${shown(before)} → ${shown(after)}` : shown(after ?? before)}
                    </Text>
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {report.generated.length > 0 && (
        <Text size="sm">
          {t("The server made secrets for: {names}", { names: report.generated.map(({ section, key }) => `${section} ${key}`).join(", ") })}
        </Text>
      )}
      {report.users && <ImportReport report={report.users} />}
    </Stack>
  );
}

const shown = (value: unknown): string => (value === undefined ? "–" : JSON.stringify(value)).slice(0, 160);
