import { fromBase32 } from "../../../kernel/base32.ts";
import { flagOf, recordOf, recordsOf, textOf, type Values } from "../reading.ts";
import { objectsOf } from "../rows.ts";
import type { ExternalSource, SourceFile } from "../source.ts";
import { aliasOf, attributesFrom, LEGACY, NO_PASSWORDS, prefixed, proposeSubject, rowOf, timeOf, totpCredential } from "./people.ts";

const known = {
  mapped: [
    ...[
      "user_id",
      "email",
      "email_verified",
      "username",
      "given_name",
      "family_name",
      "name",
      "nickname",
      "picture",
      "phone_number",
      "blocked",
    ],
    ...["created_at", "user_metadata", "app_metadata", "identities"],
  ],
  ignored: [
    "updated_at",
    "last_login",
    "last_ip",
    "logins_count",
    "last_password_reset",
    "multifactor_last_modified",
    "phone_verified",
    "Id",
    "Given Name",
    "Family Name",
  ],
};

const isHashes = ({ head }: SourceFile) => /"passwordHash"\s*:/.test(head);
const isFactors = ({ head }: SourceFile) => /"(otp_secret|mfa_factors)"\s*:/.test(head) && !/"identities"\s*:/.test(head);

/** Reads the profiles of an export job. Hashes and keys of authenticator apps are in separate files, which Auth0's support provides. */
export const auth0: ExternalSource = {
  name: "auth0",
  title: "Auth0",
  looksLike: (file) => /"user_id"\s*:\s*"[a-z0-9-]+\|/i.test(file.head) || (isHashes(file) && /"_id"\s*:/i.test(file.head)),
  async translate({ files, now }, { report, user: write }) {
    const hashes = new Map<string, string>();
    const keys = new Map<string, string>();
    for (const file of files.filter(isHashes))
      for await (const { value } of objectsOf(file, report, "hashes")) {
        const id = textOf(recordOf(value._id ?? value._ID).$oid) ?? textOf(value._id ?? value._ID);
        const hash = textOf(value.passwordHash);
        if (hash === undefined) continue;
        for (const one of [id, textOf(value.alt_id)]) if (one !== undefined) hashes.set(`auth0|${one}`, hash);
      }
    for (const file of files.filter(isFactors))
      for await (const { value } of objectsOf(file, report, "factors")) {
        const key = textOf(value.otp_secret) ?? textOf(recordsOf(value.mfa_factors).map(({ totp }) => recordOf(totp).secret)[0]);
        if (key !== undefined) keys.set(String(value.user_id), key);
      }
    for (const file of files.filter((one) => !isHashes(one) && !isFactors(one)))
      for await (const { value, at } of objectsOf(file, report)) {
        report.members("users[]", at, value, known);
        const id = textOf(value.user_id) ?? "";
        const hash = hashes.get(id);
        const key = keys.has(id) ? fromBase32(keys.get(id)!) : null;
        if (id.startsWith("auth0|") && hash === undefined) report.choice(NO_PASSWORDS);
        proposeSubject(report);
        report.mapped("hashes[].passwordHash", hash === undefined ? 0 : 1);
        await write(
          rowOf(textOf(value.username) ?? textOf(value.email) ?? id, {
            email: textOf(value.email),
            emailVerified: textOf(value.email) === undefined ? undefined : flagOf(value.email_verified),
            enabled: value.blocked === true ? false : undefined,
            createdAt: timeOf(value.created_at, now),
            passwordHash: hash,
            attributes: attributesFrom(
              {
                ...{
                  firstName: value.given_name,
                  lastName: value.family_name,
                  name: value.name,
                  nickname: value.nickname,
                  picture: value.picture,
                },
                ...{
                  phoneNumber: value.phone_number,
                  ...prefixed("user_metadata", value.user_metadata),
                  ...prefixed("app_metadata", value.app_metadata),
                },
                [LEGACY]: id,
              },
              report,
              "users[].user_metadata",
              at,
            ),
            federatedIdentities: linksOf(value),
            credentials: key ? [totpCredential(key)] : undefined,
          }),
        );
      }
    return {};
  },
};

const linksOf = (user: Values) => {
  const links = recordsOf(user.identities)
    .filter(({ provider }) => provider !== "auth0" && textOf(provider) !== undefined)
    .flatMap(({ provider, user_id: subject }) =>
      textOf(subject) === undefined ? [] : [{ provider: aliasOf(String(provider)), subject: textOf(subject)! }],
    );
  return links.length > 0 ? links : undefined;
};
