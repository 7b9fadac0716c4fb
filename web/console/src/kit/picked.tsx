import { ManyPicker, Picker, type PickerProps } from "./picker.tsx";
import type { Control } from "./schema-form.tsx";

// biome-ignore lint/suspicious/noExplicitAny: every picker has its own records
type Searched = Pick<PickerProps<any>, "label" | "path" | "value" | "text">;

/** Returns the control of a member that names one record. */
export const onePicked =
  (picker: Searched, required = false): Control =>
  ({ value, error, readOnly, onChange }) => (
    <Picker
      {...picker}
      required={required}
      chosen={(value as string | null | undefined) ?? null}
      error={error}
      disabled={readOnly}
      onChoose={onChange}
    />
  );

/** Returns the control of a member that names several records. */
export const manyPicked =
  (picker: Searched): Control =>
  ({ value, error, readOnly, onChange }) => (
    <ManyPicker {...picker} chosen={(value as readonly string[] | undefined) ?? []} error={error} disabled={readOnly} onChoose={onChange} />
  );
