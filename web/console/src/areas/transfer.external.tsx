import type { components } from "@gatehouse/api";
import { Accordion, Alert, Badge, Button, Card, Code, FileInput, Group, List, Stack, Table, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { served, useText } from "../i18n/index.ts";
import { useDryRun } from "../kit/dry-run.ts";
import { succeeded } from "../kit/notify.ts";
import { OnConflict } from "../kit/on-conflict.tsx";
import { WriteError } from "../kit/states.tsx";
import { Changes } from "./transfer.changes.tsx";

type Report = components["schemas"]["ExternalImport"];
type Translation = Report["translation"];

/** Imports the export of another system: first it shows what would be carried over and what not, then it imports. */
export function ExternalImport() {
  const t = useText();
  const { api } = useRealm();
  const [files, setFiles] = useState<File[]>([]);
  const [onConflict, setOnConflict] = useState("skip");
  const { report, error, busy, run, reset } = useDryRun<Report>(async (dryRun) => {
    const sent = await bodyOf(files);
    return (await api.send<Report>("POST", "/import/external", { query: { dryRun, onConflict }, ...sent })).data;
  });
  const make = async () => {
    if (await run(false)) succeeded(t("The export is imported"));
  };
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t("Move from another system")}
        </Title>
        <Text size="sm">
          {t(
            "An export of Keycloak, Auth0, Okta, Cognito, Firebase and others, in one file or several. You see the result before anything changes.",
          )}
        </Text>
        <WriteError error={error} />
        <Group grow align="flex-end">
          <FileInput
            label={t("Files of the export")}
            placeholder={t("Choose files")}
            multiple
            value={files}
            onChange={(next) => {
              setFiles(next);
              reset();
            }}
          />
          <OnConflict
            value={onConflict}
            onChange={(next) => {
              setOnConflict(next);
              reset();
            }}
          />
        </Group>
        <Group>
          <Button variant={report ? "default" : "filled"} disabled={files.length === 0} loading={busy} onClick={() => void run(true)}>
            {t("See what would be imported")}
          </Button>
          {report?.dryRun && (
            <Button loading={busy} onClick={() => void make()}>
              {t("Import it")}
            </Button>
          )}
        </Group>
        {report && (
          <>
            <Translated translation={report.translation} />
            <Changes report={report} />
          </>
        )}
      </Stack>
    </Card>
  );
}

/** Returns the body of a request: one file unchanged, or several files as a form, whose boundary the browser chooses. */
async function bodyOf(files: readonly File[]): Promise<{ body: unknown; contentType: string }> {
  const [first, ...others] = files;
  if (first && others.length === 0) return { body: first, contentType: first.type || "application/json" };
  const form = new FormData();
  for (const file of files) form.append("file", file, file.name);
  const encoded = new Response(form);
  return { contentType: encoded.headers.get("content-type")!, body: await encoded.blob() };
}

function Translated({ translation: { source, mapped, ignored, unmapped, refused, choices } }: { translation: Translation }) {
  const t = useText();
  const total = (list: readonly { count: number }[]) => list.reduce((sum, { count }) => sum + count, 0);
  return (
    <Stack gap="xs" role="status">
      <Group gap="xs">
        <Badge variant="light">{source}</Badge>
        <Text size="sm">
          {t("{mapped} members are imported, {ignored} are left out on purpose, {unmapped} are not supported here.", {
            mapped: total(mapped).toLocaleString(),
            ignored: total(ignored).toLocaleString(),
            unmapped: total(unmapped).toLocaleString(),
          })}
        </Text>
      </Group>
      {choices.length > 0 && (
        <Alert color="orange" title={t("Left to you")}>
          <Text size="sm">{t("The import decides none of this. Change the export before the import, or the realm after it.")}</Text>
          <List size="sm">
            {choices.map((choice) => (
              <List.Item key={choice}>{choice}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      <Accordion variant="separated" multiple defaultValue={["refused"]}>
        {refused.length > 0 && (
          <Accordion.Item value="refused">
            <Accordion.Control>{t("Left out because the rules here refuse them ({count})", { count: refused.length })}</Accordion.Control>
            <Accordion.Panel>
              <Table>
                <Table.Tbody>
                  {refused.slice(0, 200).map(({ section, key, field, code, message }) => (
                    <Table.Tr key={`${section} ${key} ${field} ${code}`}>
                      <Table.Td>{section}</Table.Td>
                      <Table.Td>
                        {key} {field && <Code>{field}</Code>}
                      </Table.Td>
                      <Table.Td>{served(message)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Accordion.Panel>
          </Accordion.Item>
        )}
        {unmapped.length > 0 && (
          <Accordion.Item value="unmapped">
            <Accordion.Control>{t("Not supported here ({count})", { count: unmapped.length })}</Accordion.Control>
            <Accordion.Panel>
              <Table>
                <Table.Tbody>
                  {unmapped.slice(0, 200).map(({ path, count, reason }) => (
                    <Table.Tr key={path}>
                      <Table.Td>
                        <Code className="secret">{path}</Code>
                      </Table.Td>
                      <Table.Td>{count.toLocaleString()}</Table.Td>
                      <Table.Td>{reason}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Accordion.Panel>
          </Accordion.Item>
        )}
      </Accordion>
    </Stack>
  );
}
