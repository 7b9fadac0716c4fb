import type { components } from "@gatehouse/api";
import { Alert, Button, Code, FileInput, Group, Select, Stack, Stepper, Table, Text, Textarea } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { served, useText } from "../i18n/index.ts";
import { useDryRun } from "../kit/dry-run.ts";
import { OnConflict } from "../kit/on-conflict.tsx";
import { PageHead } from "../kit/page-head.tsx";
import { WriteError } from "../kit/states.tsx";

type Report = components["schemas"]["UserImport"];

const EXAMPLE = "username,email,emailVerified,roles,attributes.firstName\nada,ada@example.com,true,user,Ada\n";
const TYPES = { csv: "text/csv", json: "application/json", ndjson: "application/x-ndjson" } as const;
type Format = keyof typeof TYPES;

/** Imports users from a file: the user chooses it, sees what would happen, and starts the import. */
export function ImportUsers() {
  const t = useText();
  const { api, realm } = useRealm();
  const [step, setStep] = useState(0);
  const [text, setText] = useState("");
  const [format, setFormat] = useState<Format>("csv");
  const [onConflict, setOnConflict] = useState("skip");
  const query = { onConflict, ...(format === "csv" && { delimiter: delimiterOf(text) }) };
  const { report, error, busy, run } = useDryRun<Report>(async (dryRun) => {
    const sent = { query: { dryRun, ...query }, body: text, contentType: TYPES[format] };
    return (await api.send<Report>("POST", "/users/import", sent)).data;
  });
  const read = async (file: File | null) => {
    if (!file) return;
    setText(await file.text());
    setFormat(/[.]json$/i.test(file.name) ? "json" : /[.](ndjson|jsonl)$/i.test(file.name) ? "ndjson" : "csv");
  };
  const send = async (dryRun: boolean) => {
    if (await run(dryRun)) setStep(dryRun ? 1 : 2);
  };
  return (
    <Stack maw={860}>
      <PageHead
        title="Import users"
        description="You see the result for every row before anything changes."
        call={{ method: "POST", path: `${api.url("/users/import")}?dryRun=true&onConflict=${onConflict}` }}
      />
      <Stepper active={step} size="sm" allowNextStepsSelect={false} onStepClick={(next) => step < 2 && setStep(next)}>
        <Stepper.Step label={t("File")}>
          <Stack pt="md">
            <WriteError error={error} />
            <FileInput
              label={t("A file with users")}
              description={t("CSV with a header row, JSON, or one JSON object per line. Hashes of passwords can come along.")}
              placeholder={t("Choose a file")}
              accept=".csv,.json,.ndjson,.jsonl,text/csv,application/json"
              onChange={(file) => void read(file)}
            />
            <Textarea
              label={t("or paste the rows")}
              placeholder={EXAMPLE}
              autosize
              minRows={4}
              maxRows={12}
              value={text.length > 100_000 ? `${text.slice(0, 2_000)}…` : text}
              readOnly={text.length > 100_000}
              onChange={(event) => setText(event.currentTarget.value)}
              classNames={{ input: "mono" }}
            />
            <Group grow>
              <Select
                label={t("Format")}
                data={Object.keys(TYPES).map((value) => ({ value, label: value.toUpperCase() }))}
                value={format}
                allowDeselect={false}
                onChange={(value) => setFormat(value as Format)}
              />
              <OnConflict value={onConflict} onChange={setOnConflict} />
            </Group>
            <Group justify="flex-end">
              <Button disabled={text.trim() === ""} loading={busy} onClick={() => void send(true)}>
                {t("See what would happen")}
              </Button>
            </Group>
          </Stack>
        </Stepper.Step>
        <Stepper.Step label={t("Check")}>
          {report && (
            <Stack pt="md">
              <WriteError error={error} />
              <ImportReport report={report} />
              <Group justify="flex-end">
                <Button variant="default" onClick={() => setStep(0)}>
                  {t("Back")}
                </Button>
                <Button loading={busy} disabled={report.created + report.updated === 0} onClick={() => void send(false)}>
                  {t("Import ({count})", { count: report.created + report.updated })}
                </Button>
              </Group>
            </Stack>
          )}
        </Stepper.Step>
        <Stepper.Step label={t("Done")}>
          {report && (
            <Stack pt="md">
              <ImportReport report={report} />
              <Group justify="flex-end">
                <Button component={Link} to={`/realms/${realm}/users` as never}>
                  {t("Show the users")}
                </Button>
              </Group>
            </Stack>
          )}
        </Stepper.Step>
      </Stepper>
    </Stack>
  );
}

/** Returns the character that separates the fields of the header row. */
function delimiterOf(text: string): "," | ";" | "tab" {
  const [header = ""] = text.split("\n", 1);
  if (header.includes(",")) return ",";
  return header.includes("\t") ? "tab" : header.includes(";") ? ";" : ",";
}

export function ImportReport({ report }: { report: Report }) {
  const t = useText();
  const { rows, created, updated, skipped, failed, errors, errorsTruncated, stopped, dryRun } = report;
  return (
    <Stack>
      <Alert color={failed > 0 || stopped ? "orange" : "teal"} title={dryRun ? t("This would happen") : t("This was done")} role="status">
        {t("{rows} rows: {created} new, {updated} changed, {skipped} left as they are, {failed} refused.", {
          ...{ rows, created, updated, skipped, failed },
        })}
      </Alert>
      {stopped && (
        <Alert color="red">{t("Line {line} could not be read: {message}", { line: stopped.line, message: served(stopped.message) })}</Alert>
      )}
      {errors.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("Line")}</Table.Th>
              <Table.Th>{t("Reason")}</Table.Th>
              <Table.Th>{t("Code")}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {errors.slice(0, 100).map(({ row, line, code, message }) => (
              <Table.Tr key={`${row}-${code}`}>
                <Table.Td>{line}</Table.Td>
                <Table.Td>{served(message)}</Table.Td>
                <Table.Td>
                  <Code>{code}</Code>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {(errorsTruncated || errors.length > 100) && (
        <Text size="sm" c="dimmed">
          {t("Only the first are shown.")}
        </Text>
      )}
    </Stack>
  );
}
