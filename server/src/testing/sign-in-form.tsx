import { Credentials, messagesOf, renderStep, type StepView, welcome } from "../pages/index.ts";

const problems = {
  credentials: ["credentialsTitle", "credentialsText"],
  csrf: ["csrfTitle", "csrfText"],
  "locked-out": ["lockedOutTitle", "lockedOutTextTimed"],
  overloaded: ["overloadedTitle", "overloadedTextTimed"],
} as const;

export type FormView = Partial<Omit<StepView, "problem" | "notice" | "body" | "title">> & {
  readonly username?: string;
  readonly rememberMe?: boolean;
  readonly error?: keyof typeof problems;
  readonly notice?: "signed-out";
};

/** Renders the page with name and password, as the step of that name shows it. */
export function signInForm({ username = "", rememberMe = false, error, notice, ...view }: FormView & Pick<StepView, "branding">): string {
  const text = messagesOf(view.locale ?? "en");
  const [title, body] = error ? problems[error] : [];
  return renderStep({
    locale: "en",
    csrf: "token",
    action: "/realms/acme/login",
    hidden: {},
    others: [],
    canRestart: true,
    title: text.signInTitle,
    lead: welcome(view.branding ?? { welcomeText: null }, view.locale ?? "en"),
    ...view,
    problem: title && body ? { title: text[title], text: text[body] } : undefined,
    notice: notice && text.signedOutNotice,
    body: <Credentials {...{ text, username, rememberMe }} alert={error ? { blames: error === "credentials" } : null} />,
  });
}
