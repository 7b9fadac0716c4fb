import { Badge } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import { wordsFor } from "./choice-labels.ts";

/** Shows a value that the API names for programs, in words. */
export function Word({ of, value, color }: { of: string; value: string; color?: string }) {
  const t = useText();
  return (
    <Badge variant="light" tt="none" {...(color !== undefined && { color })}>
      {t(wordsFor(of, value))}
    </Badge>
  );
}
