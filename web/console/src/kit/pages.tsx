import { Pagination } from "@mantine/core";
import { useText } from "../i18n/index.ts";

/** The limit of `page × size`. Rows beyond it are found by searching. */
const DEEPEST = 10_000;

interface PagesProps {
  /** The number of the page, from 0. */
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
