import type { components } from "@gatehouse/api";
import { Button, Card, Checkbox, FileInput, Group, PasswordInput, Select, Stack, Title } from "@mantine/core";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { save } from "../kit/download.ts";
import { useDryRun } from "../kit/dry-run.ts";
import { parses } from "../kit/fields.tsx";
import { succeeded } from "../kit/notify.ts";
import { PageHead } from "../kit/page-head.tsx";
import { WriteError } from "../kit/states.tsx";
import { Changes } from "./transfer.changes.tsx";
import { ExternalImport } from "./transfer.external.tsx";

type Report = components["schemas"]["RealmImport"];

/** Export and import of the realm's configuration. */
export function Transfer() {
  const { api } = useRealm();
  return (
    <Stack maw={860}>
      <PageHead
        title="Export & import"
        description="The realm as one document: for backups, another server, or a repository."
        call={{ path: api.url("/export") }}
      />
      <Export />
      <Import />
      <ExternalImport />
    </Stack>
  );
}

function Export() {
  const t = useText();
  const { api, realm, may } = useRealm();
  const [users, setUsers] = useState(false);
  const [full, setFull] = useState(false);
  const [sealed, setSealed] = useState(false);
  const [passphrase, setPassphrase] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    setError(null);
    try {
      const query = { ...(users && { users }), ...(full && { full }), ...(sealed && { secrets: "sealed" }) };
      const headers = sealed ? { "Export-Passphrase": encodeURIComponent(passphrase) } : {};
      const { data } = await api.get<unknown>("/export", { query, headers });
      save(`${realm}.json`, JSON.stringify(data, null, 2));
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card withBorder>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Stack gap="sm">
          <Title order={2} size="h4">
            {t("Export")}
          </Title>
          <WriteError error={error} />
          <Checkbox
            label={t("With users, their roles and groups")}
            checked={users}
            onChange={(event) => setUsers(event.currentTarget.checked)}
          />
          <Checkbox
            label={t("Include members with their default value")}
            checked={full}
            onChange={(event) => setFull(event.currentTarget.checked)}
          />
          {may("realm-admin") && (
            <Checkbox
              label={t("Include secrets and keys, encrypted under a passphrase")}
              checked={sealed}
              onChange={(event) => setSealed(event.currentTarget.checked)}
            />
          )}
          {sealed && (
            <PasswordInput
              label={t("Passphrase")}
              description={t("You need it to import the document. It is not stored.")}
              value={passphrase}
              autoComplete="new-password"
              onChange={(event) => setPassphrase(event.currentTarget.value)}
              required
            />
          )}
          <Group>
            <Button type="submit" loading={busy}>
              {t("Download the document")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

function Import() {
  const t = useText();
  const { api } = useRealm();
  const [file, setFile] = useState<File | null>(null);
  const [prune, setPrune] = useState("none");
  const [passphrase, setPassphrase] = useState("");
  const { report, error, busy, run, reset } = useDryRun<Report>(async (dryRun, last) => {
    const query = { dryRun, ...(prune !== "none" && { prune }), ...(!dryRun && last && { plan: last.digest }) };
    const headers = passphrase ? { "Export-Passphrase": encodeURIComponent(passphrase) } : {};
    const body = await file!.text();
    if (!parses(body)) throw new Error(t("This file is not valid JSON"));
    return (await api.send<Report>("POST", "/import", { query, headers, body, contentType: "application/json" })).data;
  });
  const make = async () => {
    if (await run(false)) succeeded(t("The document is imported"));
  };
  const changes = report ? report.actions.length + (report.users ? report.users.created + report.users.updated : 0) : 0;
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t("Import")}
        </Title>
        <WriteError error={error} />
        <FileInput
          label={t("Document")}
          description={t("An exported realm document. You see every change before it is made.")}
          placeholder={t("Choose a file")}
          accept=".json,application/json"
          value={file}
          onChange={(next) => {
            setFile(next);
            reset();
          }}
        />
        <Group grow align="flex-end">
          <Select
            label={t("What the document does not have")}
            data={[
              { value: "none", label: t("stays") },
              { value: "all", label: t("will be deleted, in the sections of the document") },
            ]}
            value={prune}
            allowDeselect={false}
            onChange={(value) => {
              setPrune(value ?? "none");
              reset();
            }}
          />
          <PasswordInput
            label={t("Passphrase, if its secrets are encrypted")}
            value={passphrase}
            autoComplete="off"
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
        </Group>
        <Group>
          <Button variant={report ? "default" : "filled"} disabled={!file} loading={busy} onClick={() => void run(true)}>
            {t("See what would change")}
          </Button>
          {report?.dryRun && changes > 0 && (
            <Button loading={busy} onClick={() => void make()} {...(prune === "all" && { color: "red" })}>
              {t("Make {count} changes", { count: changes })}
            </Button>
          )}
        </Group>
        {report && <Changes report={report} />}
      </Stack>
    </Card>
  );
}
