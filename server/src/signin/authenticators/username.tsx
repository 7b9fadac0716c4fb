import { UsernameOnly, welcome } from "../../pages/index.ts";
import { type Question, question } from "./authenticator.ts";
import type { Progress } from "./progress.ts";

/** Asks for the login name only, and does not reveal whether an account has it. */
export const username: Question = {
  ...question,
  displayName: "Username",
  description: "Asks for the username or email address; what proves it comes in a later step",
  identifies: true,
  factor: null,
  counted: null,
  fields: ["username"],
  choice: "chooseUsername",
  nameIn: (form) => form.username ?? "",
  available: async () => true,
  page: ({ progress, request, realm: { settings }, visitor, alert }, text) => ({
    title: isReset(progress) ? "resetTitle" : "signInTitle",
    lead: isReset(progress) ? text.resetText : welcome(settings, visitor.locale),
    body: (
      <UsernameOnly
        text={text}
        username={progress.login ?? progress.home?.login ?? request.loginHint ?? ""}
        alert={alert}
        rememberMe={settings.sessions.rememberMe && !isReset(progress) ? progress.remember : null}
      />
    ),
  }),
  answer: async ({ named }, form) => {
    const { login, user } = named!;
    const remember = isTicked(form.rememberMe);
    return { outcome: "passed", proof: { userId: user?.userId ?? null, login, factor: null, amr: [], remember } };
  },
};

/** Tells whether a user who forgot the password names the account. The page is the same, with other words. */
const isReset = ({ flow }: Progress): boolean => flow === "reset-credentials";

/** Tells whether a checkbox is ticked, in the forms in which browsers send it. */
export const isTicked = (value: string | undefined): boolean => value === "true" || value === "on";
