import schema from "virtual:schema/UpdateSubjectClaim";
import { Accordion } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { EditForm } from "../kit/edit-form.tsx";

const PATH = "/subject-claim";

/** Edits the meaning of `sub` in this realm's tokens. */
export function SubjectClaim() {
  const t = useText();
  const { api, realm, may } = useRealm();
  const allowed = may("manage-authorization");
  const record = useQuery({
    queryKey: [realm, "record", PATH],
    queryFn: ({ signal }) => api.get<Record<string, unknown>>(PATH, { signal }),
    enabled: allowed,
  });
  if (!allowed || !record.data) return null;
  const { data, etag } = record.data;
  return (
    <Accordion variant="separated">
      <Accordion.Item value="subject">
        <Accordion.Control>{t("The subject (sub): {strategy}", { strategy: String(data.strategy) })}</Accordion.Control>
        <Accordion.Panel>
          <EditForm
            form={{ schema, sections: [{ fields: ["strategy", "attribute"] }] }}
            value={data}
            etag={etag}
            path={PATH}
            readOnly={!allowed}
            onSaved={() => void record.refetch()}
          />
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
