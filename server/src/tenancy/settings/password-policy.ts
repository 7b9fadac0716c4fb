import { AppError, type FieldError } from "../../kernel/errors.ts";
import { loginKey } from "../../kernel/text.ts";
import type { Settings } from "./schema.ts";

type Policy = Settings["passwordPolicy"];

/** Refuses a password that the realm's policy does not allow, and names every rule that it breaks. */
export function checkPasswordPolicy(
  policy: Policy,
  password: string,
  owner: { username: string; email: string | null },
  field = "newPassword",
): void {
  const broken = rules(policy, password, owner).filter(([holds]) => !holds);
  if (broken.length === 0) return;
  const errors: FieldError[] = broken.map(([, message]) => ({ field, code: "password.policy", message }));
  throw new AppError(
    "password.policy",
    400,
    `The password does not follow the policy: ${broken.map(([, message]) => message).join("; ")}`,
    { errors },
  );
}

function rules(
  policy: Policy,
  password: string,
  owner: { username: string; email: string | null },
): (readonly [holds: boolean, message: string])[] {
  const characters = [...password];
  const having = (kind: RegExp) => characters.filter((character) => kind.test(character)).length;
  const same = (name: string | null) => name !== null && loginKey(name) === loginKey(password);
  return [
    [characters.length >= policy.minLength, `at least ${policy.minLength} characters`],
    [characters.length <= policy.maxLength, `at most ${policy.maxLength} characters`],
    [having(/\p{Ll}/u) >= policy.minLowercase, `at least ${policy.minLowercase} lower-case letters`],
    [having(/\p{Lu}/u) >= policy.minUppercase, `at least ${policy.minUppercase} upper-case letters`],
    [having(/\p{Nd}/u) >= policy.minDigits, `at least ${policy.minDigits} digits`],
    [having(/[^\p{L}\p{N}]/u) >= policy.minSymbols, `at least ${policy.minSymbols} characters that are neither letter nor digit`],
    [!policy.notUsername || !same(owner.username), "not the username"],
    [!policy.notEmail || !same(owner.email), "not the email address"],
  ];
}
