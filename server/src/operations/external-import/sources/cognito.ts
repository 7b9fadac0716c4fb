import { isTrue, recordsOf, textOf, uuidOf } from "../reading.ts";
import { elementsOf } from "../rows.ts";
import type { ExternalSource } from "../source.ts";
import { attributesFrom, LEGACY, NO_PASSWORDS, rowOf, timeOf } from "./people.ts";

const known = {
  mapped: ["Username", "Attributes", "Enabled", "UserCreateDate"],
  ignored: ["UserLastModifiedDate", "UserStatus", "MFAOptions"],
};
const NAMES: Readonly<Record<string, string>> = { given_name: "firstName", family_name: "lastName", phone_number: "phoneNumber" };

/** Reads the output of `aws cognito-idp list-users`. Cognito exports no hashes; its `sub` is a UUID and is kept. */
export const cognito: ExternalSource = {
  name: "cognito",
  title: "Amazon Cognito",
  looksLike: ({ head }) => /"UserStatus"\s*:/.test(head) || /"UserCreateDate"\s*:/.test(head),
  async translate({ files, now }, { report, user: write }) {
    for (const file of files)
      for await (const { value, at } of elementsOf(file, "Users", report)) {
        report.members("users[]", at, value, known);
        report.choice(NO_PASSWORDS);
        const attributes = new Map(recordsOf(value.Attributes).map(({ Name, Value }) => [String(Name), textOf(Value)]));
        const { sub, email, email_verified: isVerified, ...more } = Object.fromEntries(attributes);
        const name = textOf(value.Username) ?? email ?? "";
        await write(
          // A username that is a UUID was generated. People know their address instead.
          rowOf(uuidOf(name) === undefined ? name : (email ?? name), {
            userId: uuidOf(sub),
            email,
            emailVerified: email === undefined ? undefined : isTrue(isVerified),
            enabled: value.Enabled === false ? false : undefined,
            createdAt: timeOf(value.UserCreateDate, now),
            attributes: attributesFrom(
              {
                ...Object.fromEntries(Object.entries(more).map(([own, text]) => [NAMES[own] ?? own, text])),
                ...(uuidOf(sub) === undefined && { [LEGACY]: sub }),
              },
              report,
              "users[].Attributes",
              at,
            ),
          }),
        );
      }
    return {};
  },
};
