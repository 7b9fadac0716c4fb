import { Stack, Text, Title } from "@mantine/core";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";

/** A drawing of the sign-in page that follows the typing. The page itself may not be framed, which protects it. */
export function BrandPreview({ draft }: { draft: Readonly<Record<string, unknown>> }) {
  const t = useText();
  const { realm } = useRealm();
  const text = (name: string) => (typeof draft[name] === "string" ? (draft[name] as string) : "");
  const primary = text("primaryColor") || "#3e49c3";
  const name = text("displayName") || realm;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t("Preview")}
      </Title>
      <div className="brand-preview" style={{ background: text("backgroundColor") || "#f4f5fb" }} aria-hidden>
        <Stack className="brand-card" gap="sm">
          {isOwn(text("logoUrl")) && <img src={text("logoUrl")} alt="" />}
          <div>
            <Text fw={700} size="lg" c="inherit">
              {t("Sign in to {realm}", { realm: name })}
            </Text>
            {text("welcomeText") && (
              <Text size="sm" c="inherit">
                {text("welcomeText")}
              </Text>
            )}
          </div>
          <div className="brand-field" />
          <div className="brand-field" />
          <div className="brand-button" style={{ background: primary, color: isLight(primary) ? "#000" : "#fff" }}>
            {t("Sign in")}
          </div>
        </Stack>
      </div>
      <Text size="sm">
        {t("Save, then open the")}{" "}
        <a href={`/realms/${realm}/login`} target="_blank" rel="noreferrer">
          {t("sign-in page")}
        </a>
        .
      </Text>
    </Stack>
  );
}

/** Tells whether dark text is easier to read on this colour. */
function isLight(color: string): boolean {
  const [, hex = "000000"] = /^#([0-9a-f]{6})$/i.exec(color) ?? [];
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
  return 0.299 * red! + 0.587 * green! + 0.114 * blue! > 160;
}

/** The console loads pictures of this server alone. */
const isOwn = (url: string): boolean =>
  url !== "" && URL.canParse(url, location.href) && new URL(url, location.href).origin === location.origin;
