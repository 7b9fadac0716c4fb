import { expect, test } from "vitest";
import { buildValidator } from "../platform/http/index.ts";
import { type Authenticator, freshProgress, type Question, type SignInUser, type StepContext } from "../signin/authenticators/index.ts";
import { messagesOf } from "../signin/pages/index.ts";

/** What a step knows in a realm of the suite, of whichever user. */
export type ContextFor = (user: SignInUser | null, progress: StepContext["progress"]) => Promise<StepContext>;

const types = ["password", "totp", "passkey", "push", "recovery-code"];
const person = (credentials: readonly string[]): SignInUser => ({
  ...{ userId: "019b76da-a800-7f3c-9d1e-3f5b7c9d1e3f", username: "ada", email: "ada@example.com", emailVerified: credentials.length > 0 },
  ...{ attributes: {}, requiredActions: [], credentials: new Set(credentials) },
});
const validator = buildValidator({});

/** What every authenticator keeps, whatever it asks. Its own file tests the rest through its page. */
export function authenticatorConformance(name: string, authenticator: Authenticator, contextFor: ContextFor): void {
  test(`${name} says what it is, and takes no config that it does not know`, () => {
    expect(name).toMatch(/^[a-z][a-z-]*$/);
    expect(authenticator.displayName).toMatch(/\S/);
    expect(authenticator.description).toMatch(/\S/);
    const validate = validator({ schema: authenticator.config, httpPart: "body" }) as (config: unknown) => boolean;
    expect(validate({ noSuchMember: true })).toBe(false);
    const members = Object.entries(authenticator.config.properties ?? {});
    const defaults = Object.fromEntries(members.flatMap(([member, schema]) => ("default" in schema ? [[member, schema.default]] : [])));
    if (((authenticator.config as { required?: readonly string[] }).required ?? []).length === 0) expect(validate(defaults)).toBe(true);
  });
  if (authenticator.kind === "question") questionConformance(name, authenticator, contextFor);
}

function questionConformance(name: string, question: Question, contextFor: ContextFor): void {
  const unproven = (user: SignInUser | null) => ({
    ...freshProgress({ alias: "browser", version: 0 }),
    login: "ada",
    userId: user?.userId ?? null,
  });

  test(`${name} can be asked of everybody or of nobody, until something is proven`, async () => {
    const answers = [];
    for (const user of [null, person([]), person(types)]) answers.push(await question.available(await contextFor(user, unproven(user))));
    expect(new Set(answers).size).toBe(1);
  });

  test(`${name} is guessed only against a counter, and what it sets up can be named`, () => {
    // A name proves nothing; whatever is typed and proves something can be guessed.
    if (question.factor !== null && question.fields.some((field) => field === "code" || field === "password"))
      expect(question.counted).not.toBeNull();
    expect(messagesOf("en")[question.choice]).toMatch(/\S/);
    if (question.nameIn) expect(question.identifies).toBe(true);
  });
}
