import schema from "virtual:schema/UpdateRealmSettings";
import { TextInput } from "@mantine/core";
import { useText } from "../i18n/index.ts";
import type { Control } from "../kit/schema-form.tsx";
import { SingletonPage } from "../kit/singleton-page.tsx";
import { TextsByLanguage } from "../kit/texts-by-language.tsx";
import { BrandImages } from "./brand-images.tsx";
import { BrandPreview } from "./brand-preview.tsx";
import { branding, MANAGE } from "./settings.members.ts";

export const Branding = () => (
  <SingletonPage
    title="Branding"
    description="The look of this realm's sign-in pages and mails."
    path="/settings"
    manage={MANAGE}
    form={{
      schema,
      sections: [
        { title: "Name and colours", fields: ["displayName", "primaryColor", "backgroundColor", "backgroundStyle", "fontFamily"] },
        { title: "Words and links", fields: ["welcomeText", "welcomeTexts", "privacyUrl"] },
        { title: "Advanced", fields: ["logoUrl", "customCss"] },
      ],
      only: true,
      controls: {
        primaryColor: (props) => <Colour {...props} label="Primary color" description="Buttons and links. Their text stays readable." />,
        backgroundColor: (props) => <Colour {...props} label="Background color" description="Behind the card." />,
        welcomeTexts: (props) => <WelcomeTexts {...props} />,
      },
    }}
    before={<BrandImages />}
    preview={(draft) => <BrandPreview draft={draft} members={branding} />}
  />
);

type ControlProps = Parameters<Control>[0];

interface ColourProps extends ControlProps {
  readonly label: string;
  readonly description: string;
}

/** A field for a colour of six digits, which can be typed or picked. */
function Colour({ label, description, value, error, readOnly, onChange }: ColourProps) {
  const t = useText();
  const text = typeof value === "string" ? value : "";
  return (
    <TextInput
      label={t(label)}
      description={t(description)}
      placeholder={t("As shipped")}
      value={text}
      error={error}
      disabled={readOnly}
      leftSection={
        <input
          type="color"
          className="colour"
          aria-label={t("Pick: {name}", { name: t(label) })}
          value={/^#[0-9a-f]{6}$/i.test(text) ? text : "#ffffff"}
          disabled={readOnly}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      }
      leftSectionPointerEvents="all"
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  );
}

function WelcomeTexts({ value, error, readOnly, onChange }: ControlProps) {
  const t = useText();
  return (
    <TextsByLanguage
      label={t("Welcome texts")}
      description={t("The welcome text in other languages.")}
      value={(value ?? {}) as Record<string, string>}
      error={error}
      readOnly={readOnly}
      onChange={onChange}
    />
  );
}
