import { Button, Kbd, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { createSpotlight } from "@mantine/spotlight";
import { useText } from "../i18n/index.ts";
import { Icon } from "../kit/icon.tsx";

export const [store, palette] = createSpotlight();

/** The button of the palette, with its key. The key works before the palette is loaded, which it then opens, and while a field has the focus. */
export function PaletteButton() {
  const t = useText();
  useHotkeys([["mod+K", palette.open]], []);
  return (
    <Button
      variant="default"
      size="sm"
      c="dimmed"
      fw={400}
      leftSection={<Icon name="search" />}
      onClick={palette.open}
      aria-label={`${t("Search or jump to…")} Ctrl K`}
    >
      <Text span size="sm" visibleFrom="md">
        {t("Search or jump to…")} <Kbd size="xs">Ctrl K</Kbd>
      </Text>
    </Button>
  );
}
