import { takeOwnUser } from "../../../directory/users/index.ts";
import { Form, LOCALES, messagesOf, Submit, THEMES } from "../../../pages/index.ts";
import { field, redirect, route } from "../../../platform/http/index.ts";
import { readOnlyMembers, readProfile, saveProfile } from "../profile/profile.service.ts";
import { backTo, type ConsolePages, formOf } from "./pages.ts";
import { Panel } from "./shell.tsx";

const PATH = "pages/preferences";

export const preferencePages: ConsolePages = async (app, parts) => {
  const { pages, cookies } = parts;

  route(app, "GET", `/${PATH}`, {
    config: { impersonated: true },
    summary: "Show the page of your language and theme",
    handler: async (request, reply) => {
      const view = await pages.viewOf(request, reply, "preferences");
      const { text } = view;
      const themes = [
        ["", text.accountThemeAuto] as const,
        ["light", text.accountThemeLight] as const,
        ["dark", text.accountThemeDark] as const,
      ];
      return pages.show(request, reply, {
        // The page itself has the choice of language.
        view: { ...view, languages: [] },
        title: text.accountPreferences,
        children: (
          <Panel>
            <Form csrf={view.csrf} action={`${view.base}${PATH}`}>
              <div class="gh-field">
                <label class="gh-label" for="locale">
                  {text.accountLanguage}
                </label>
                <select class="gh-input gh-select" id="locale" name="locale" aria-describedby="locale-hint">
                  {LOCALES.map((locale) => (
                    <option value={locale} selected={locale === view.locale} lang={locale}>
                      {messagesOf(locale).languageName}
                    </option>
                  ))}
                </select>
                <p class="gh-hint" id="locale-hint">
                  {text.accountLanguageHint}
                </p>
              </div>
              <fieldset>
                <legend>{text.accountTheme}</legend>
                {themes.map(([value, label]) => (
                  <label class="gh-check">
                    <input type="radio" name="theme" value={value} checked={value === (view.theme ?? "")} />
                    <span>{label}</span>
                  </label>
                ))}
              </fieldset>
              {view.impersonation ? null : <Submit>{text.accountSave}</Submit>}
            </Form>
          </Panel>
        ),
      });
    },
  });

  route(app, "POST", `/${PATH}`, {
    summary: "Choose your language and theme on the page",
    body: formOf({ locale: field(35), theme: field(8) }, { locale: "nl", theme: "dark" }),
    response: { 303: redirect("Saved") },
    handler: async (request, reply) => {
      const locale = LOCALES.find((each) => each === request.body.locale);
      const options = { policy: request.realm.settings.account, broughtBy: null, mail: parts };
      if (locale) {
        await request.transact(async (ctx) => {
          await takeOwnUser(ctx);
          const profile = await readProfile(ctx);
          const isFixed = (await readOnlyMembers(ctx, options.policy)).has("locale");
          const { username, email, firstName, lastName, attributes } = profile;
          // The locale is for mails, too. A finer choice of the same language, such as nl-BE, remains.
          if (!isFixed && profile.locale?.split("-")[0]?.toLowerCase() !== locale)
            await saveProfile(ctx, { username, email, firstName, lastName, attributes, locale }, options);
        });
        cookies.setLanguage(reply, locale);
      }
      cookies.setTheme(reply, THEMES.find((each) => each === request.body.theme) ?? null);
      return backTo(request, reply, PATH, "saved");
    },
  });
};
