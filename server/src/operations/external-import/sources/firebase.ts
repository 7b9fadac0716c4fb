import { flagOf, numberOf, recordOf, recordsOf, textOf, type Values } from "../reading.ts";
import { elementsOf } from "../rows.ts";
import type { ExternalSource } from "../source.ts";
import { aliasOf, attributesFrom, LEGACY, NO_PASSWORDS, proposeSubject, rowOf, timeOf } from "./people.ts";

const known = {
  mapped: [
    "localId",
    "email",
    "emailVerified",
    "passwordHash",
    "salt",
    "displayName",
    "photoUrl",
    "phoneNumber",
    "createdAt",
    "disabled",
    "customAttributes",
    "providerUserInfo",
  ],
  ignored: ["lastSignedInAt", "passwordUpdatedAt", "validSince", "lastRefreshAt", "version"],
};

/** Reads the output of `firebase auth:export`. The file lacks the project's hash parameters: they come in `parameters.hash_config`. */
export const firebase: ExternalSource = {
  name: "firebase",
  title: "Firebase Authentication",
  looksLike: ({ head }) => /"localId"\s*:/.test(head),
  async translate({ files, parameters, now }, { report, user: write }) {
    const config = recordOf(parameters.hash_config);
    for (const file of files)
      for await (const { value, at } of elementsOf(file, "users", report)) {
        report.members("users[]", at, value, known);
        const id = textOf(value.localId) ?? "";
        const passwordHash = hashOf(value, config);
        if (textOf(value.passwordHash) === undefined) report.choice(NO_PASSWORDS);
        else if (passwordHash === undefined)
          report.unmapped(
            "users[].passwordHash",
            "Send the project's hash parameters as parameters.hash_config (base64_signer_key, base64_salt_separator, rounds, mem_cost)",
            at,
          );
        proposeSubject(report);
        const links = recordsOf(value.providerUserInfo).flatMap(({ providerId, rawId }) =>
          textOf(rawId) === undefined || ["password", "phone"].includes(String(providerId))
            ? []
            : [{ provider: aliasOf(String(providerId)), subject: textOf(rawId)! }],
        );
        await write(
          rowOf(textOf(value.email) ?? textOf(value.phoneNumber) ?? id, {
            email: textOf(value.email),
            emailVerified: textOf(value.email) === undefined ? undefined : flagOf(value.emailVerified),
            enabled: value.disabled === true ? false : undefined,
            createdAt: timeOf(value.createdAt, now),
            passwordHash,
            attributes: attributesFrom(
              {
                name: value.displayName,
                picture: value.photoUrl,
                phoneNumber: value.phoneNumber,
                customAttributes: value.customAttributes,
                [LEGACY]: id,
              },
              report,
              "users[].customAttributes",
              at,
            ),
            federatedIdentities: links.length > 0 ? links : undefined,
          }),
        );
      }
    return {};
  },
};

function hashOf(user: Values, config: Values): string | undefined {
  const [hash, salt, key, separator] = [
    textOf(user.passwordHash),
    textOf(user.salt),
    textOf(config.base64_signer_key),
    textOf(config.base64_salt_separator),
  ];
  const [rounds, cost] = [numberOf(config.rounds), numberOf(config.mem_cost)];
  if (
    hash === undefined ||
    salt === undefined ||
    key === undefined ||
    separator === undefined ||
    rounds === undefined ||
    cost === undefined
  )
    return undefined;
  return `$fbscrypt$v=1,n=${cost},r=${rounds},p=1,ss=${separator},sk=${key}$${salt}$${hash}`;
}
