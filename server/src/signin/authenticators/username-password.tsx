import { Credentials, welcome } from "../../pages/index.ts";
import { type Question, question } from "./authenticator.ts";
import { changeElsewhere, checkRightPassword } from "./password.tsx";
import { isTicked } from "./username.tsx";

/** Name and password on one page. */
export const usernamePassword: Question = {
  ...question,
  displayName: "Username and password",
  description: "Asks for the username or email address and the password on one page",
  identifies: true,
  factor: "knowledge",
  counted: "password",
  fields: ["username", "password"],
  choice: "chooseUsernamePassword",
  nameIn: (form) => form.username ?? "",
  available: async () => true,
  page: ({ progress, request, realm: { settings }, visitor, alert }, text) => ({
    title: "signInTitle",
    lead: welcome(settings, visitor.locale),
    errorAtField: true,
    body: (
      <Credentials
        text={text}
        username={progress.login ?? progress.home?.login ?? request.loginHint ?? ""}
        alert={alert}
        rememberMe={settings.sessions.rememberMe ? progress.remember : null}
      />
    ),
  }),
  answer: async (at, form) => {
    const { login, user } = at.named!;
    const right = await checkRightPassword(at, { login, password: form.password ?? "", user });
    if (right === "elsewhere") return changeElsewhere;
    if (!right) return { outcome: "wrong", title: "credentialsTitle", text: "credentialsText", login };
    return { outcome: "passed", proof: { ...right, login, remember: isTicked(form.rememberMe) } };
  },
};
