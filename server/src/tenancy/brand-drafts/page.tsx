import { Credentials, type Locale, messagesOf, renderStep, welcome } from "../../pages/index.ts";
import type { WithImages } from "../images/index.ts";
import type { Settings } from "../settings/index.ts";

/** Renders the sign-in page with the draft, for viewing only: its form does nothing. */
export function renderDraft(
  settings: Settings & WithImages,
  themeHref: string,
  locale: Locale,
  theme: "light" | "dark" | undefined,
): string {
  const text = messagesOf({ locale, branding: settings });
  const page = renderStep({
    branding: { ...settings, themeHref },
    ...{ locale, theme, csrf: "", action: "#", hidden: {}, others: [], canRestart: false },
    title: text.signInTitle,
    lead: welcome(settings, locale),
    problem: undefined,
    notice: undefined,
    body: <Credentials text={text} username="" rememberMe={settings.sessions.rememberMe ? false : null} alert={null} />,
  });
  // Autofocus is removed so that the cursor stays where the administrator types. Text contains no tags, because its characters are escaped.
  return page.replaceAll(/(<input\b[^>]*?) autofocus(?=[\s/>])/g, "$1");
}
