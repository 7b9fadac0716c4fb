import { numberOf, recordOf, recordsOf, textOf, uuidOf, type Values } from "../reading.ts";
import { elementsOf } from "../rows.ts";
import type { ExternalSource } from "../source.ts";
import { attributesFrom, NO_PASSWORDS, prefixed, rowOf, timeOf, totpCredential } from "./people.ts";

const known = {
  mapped: [
    ...[
      "id",
      "email",
      "username",
      "password",
      "salt",
      "factor",
      "encryptionScheme",
      "active",
      "verified",
      "firstName",
      "lastName",
      "fullName",
    ],
    ...["mobilePhone", "imageUrl", "birthDate", "data", "insertInstant", "twoFactor", "passwordChangeRequired"],
  ],
  ignored: [
    "lastUpdateInstant",
    "lastLoginInstant",
    "tenantId",
    "connectorId",
    "usernameStatus",
    "passwordLastUpdateInstant",
    "breachedPasswordStatus",
    "cleanSpeakId",
    "timezone",
    "preferredLanguages",
  ],
};
const PBKDF2: Readonly<Record<string, string>> = {
  "salted-pbkdf2-hmac-sha256": "pbkdf2-sha256",
  "salted-pbkdf2-hmac-sha256-512": "pbkdf2-sha256",
  "salted-pbkdf2-hmac-sha512": "pbkdf2-sha512",
  "salted-pbkdf2-hmac-sha512-512": "pbkdf2-sha512",
};

export const fusionauth: ExternalSource = {
  name: "fusionauth",
  title: "FusionAuth",
  looksLike: ({ head }) => /"encryptionScheme"\s*:/.test(head) || /"(insertInstant|usernameStatus)"\s*:/.test(head),
  async translate({ files, now }, { report, user: write }) {
    for (const file of files)
      for await (const { value, at } of elementsOf(file, "users", report)) {
        report.members("users[]", at, value, known);
        const passwordHash = hashOf(value);
        if (textOf(value.password) === undefined) report.choice(NO_PASSWORDS);
        else if (passwordHash === undefined)
          report.unmapped(
            `users[].encryptionScheme[${textOf(value.encryptionScheme)}]`,
            "Passwords of this form cannot be checked here: the user resets it",
            at,
          );
        const apps = recordsOf(recordOf(value.twoFactor).methods).flatMap(({ method, secret }) =>
          method === "authenticator" && textOf(secret) !== undefined ? [totpCredential(Buffer.from(textOf(secret)!, "base64"))] : [],
        );
        const email = textOf(value.email);
        await write(
          rowOf(textOf(value.username) ?? email ?? String(value.id), {
            userId: uuidOf(value.id),
            email,
            emailVerified: email === undefined ? undefined : value.verified === true,
            enabled: value.active === false ? false : undefined,
            createdAt: timeOf(value.insertInstant, now),
            passwordHash,
            requiredActions: value.passwordChangeRequired === true ? ["UPDATE_PASSWORD"] : undefined,
            attributes: attributesFrom(
              {
                ...{ firstName: value.firstName, lastName: value.lastName, name: value.fullName, phoneNumber: value.mobilePhone },
                ...{ picture: value.imageUrl, birthdate: value.birthDate, ...prefixed("data", value.data) },
              },
              report,
              "users[].data",
              at,
            ),
            credentials: apps.length > 0 ? apps : undefined,
          }),
        );
      }
    return {};
  },
};

function hashOf(user: Values): string | undefined {
  const [hash, salt, scheme, factor] = [
    textOf(user.password),
    textOf(user.salt),
    textOf(user.encryptionScheme) ?? "",
    numberOf(user.factor),
  ];
  if (hash === undefined) return undefined;
  if (/^\$2[aby]\$/.test(hash)) return hash;
  if (salt === undefined || factor === undefined) return undefined;
  if (scheme === "bcrypt") return `$2a$${String(factor).padStart(2, "0")}$${salt}${hash}`;
  return Object.hasOwn(PBKDF2, scheme) ? `$${PBKDF2[scheme]}$i=${factor}$${salt}$${hash}` : undefined;
}
