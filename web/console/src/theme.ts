import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

const brand: MantineColorsTuple = [
  "#eef0ff",
  "#dcdffb",
  "#b6bbf1",
  "#8e95e8",
  "#6c75e0",
  "#5761dc",
  "#4c57db",
  "#3e49c3",
  "#3540af",
  "#29369b",
];

const closeButtonProps = { "aria-label": "Close" };
/** Mantine renders the head of a dialog as a header, which would be a second banner of the page. */
const attributes = { header: { role: "none" } };

export const theme = createTheme({
  primaryColor: "brand",
  colors: { brand },
  defaultRadius: "md",
  cursorType: "pointer",
  fontFamily: '"Inter Variable", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "DejaVu Sans Mono", SFMono-Regular, Menlo, monospace',
  headings: { fontWeight: "650" },
  autoContrast: true,
  respectReducedMotion: true,
  components: {
    // The components are listed by name, so that the shell does not load them.
    Drawer: { defaultProps: { closeButtonProps, attributes } },
    Modal: { defaultProps: { closeButtonProps, attributes } },
    Notification: { defaultProps: { closeButtonProps } },
    Badge: { defaultProps: { tt: "none", fw: 600 } },
  },
});

/** Mantine's own dimmed, placeholder and light colours do not reach WCAG AA's contrast. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": colors.gray[7],
    "--mantine-color-placeholder": colors.gray[7],
    "--mantine-color-teal-light-color": "#06603f",
    "--mantine-color-orange-light-color": "#a63c00",
    "--mantine-color-red-light-color": "#b02020",
    "--mantine-color-error": "#c92a2a",
  },
  dark: {
    "--mantine-color-dimmed": colors.dark[1],
    "--mantine-color-placeholder": colors.dark[1],
    "--mantine-color-anchor": brand[3],
    "--mantine-color-error": "#ff8787",
  },
});
