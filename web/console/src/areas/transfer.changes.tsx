import type { components } from "@gatehouse/api";
import { Code, Stack, Table, Text } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { Word } from "../kit/word.tsx";
import { ImportReport } from "./import-users.tsx";

type Report = components["schemas"]["RealmImport"];

const ACTION_COLORS = { create: "teal", update: "blue", delete: "red" } as const;

/** The greatest numbers that are listed. */
const ITEMS = 500;
const MEMBERS = 8;

function More({ count }: { count: number }) {
  const t = useText();
  return count > 0 && <Text size="xs">{t("and {count} more", { count: count.toLocaleString() })}</Text>;
}

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
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {report.actions.slice(0, ITEMS).map(({ section, key, action, changes }) => (
              <Table.Tr key={`${section} ${key} ${action}`}>
                <Table.Td>{section}</Table.Td>
                <Table.Td>
                  {key}
                  {changes.slice(0, MEMBERS).map(({ path, before, after, secret }) => (
                    <Text key={path} size="xs" className="secret">
                      <Code>{path}</Code>{" "}
                      {secret ? t("a secret") : action === "update" ? `${shown(before)} → ${shown(after)}` : shown(after ?? before)}
                    </Text>
                  ))}
                  <More count={changes.length - MEMBERS} />
                </Table.Td>
                <Table.Td>
                  <Word of="action" value={action} color={ACTION_COLORS[action]} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <More count={report.actions.length - ITEMS} />
      {report.generated.length > 0 && (
        <Text size="sm">
          {t("The server made secrets for: {names}", { names: report.generated.map(({ section, key }) => `${section} ${key}`).join(", ") })}
        </Text>
      )}
      {report.users && <ImportReport report={report.users} />}
    </Stack>
  );
}

function shown(value: unknown): string {
  const text = value === undefined ? "–" : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 160)} …` : text;
}
