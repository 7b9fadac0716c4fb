import { Select } from "@mantine/core";
import { useText } from "../i18n/index.ts";

/** Edits what an import does with a user whose name or address is taken. */
export function OnConflict({ value, onChange }: { value: string; onChange(value: string): void }) {
  const t = useText();
  return (
    <Select
      label={t("Where the name or address is taken")}
      data={[
        { value: "skip", label: t("Leave the user as it is") },
        { value: "update", label: t("Change the members that the row names") },
        { value: "fail", label: t("Report an error") },
      ]}
      value={value}
      allowDeselect={false}
      onChange={(next) => onChange(next ?? "skip")}
    />
  );
}
