import { Pagination } from "@mantine/core";
import { useText } from "../i18n/index.ts";

/** `page × size` may reach 10,000; what lies further is found by searching. */
const DEEPEST = 10_000;

interface PagesProps {
  /** From 0. */
  readonly page: number;
  readonly size: number;
  readonly total: number;
  onChange(page: number): void;
}

export function Pages({ page, size, total, onChange }: PagesProps) {
  const t = useText();
  return (
    <Pagination
      value={page + 1}
      total={Math.ceil(Math.min(total, DEEPEST) / size)}
      onChange={(next) => onChange(next - 1)}
      getControlProps={(control) => ({ "aria-label": t(control === "next" ? "Next page" : "Previous page") })}
    />
  );
}
