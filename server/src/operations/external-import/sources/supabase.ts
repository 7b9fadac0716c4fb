import { fromBase32 } from "../../../kernel/base32.ts";
import { addTo } from "../../../kernel/lists.ts";
import { recordOf, textOf, uuidOf } from "../reading.ts";
import { objectsOf } from "../rows.ts";
import type { ExternalSource, SourceFile } from "../source.ts";
import { aliasOf, attributesFrom, NO_PASSWORDS, prefixed, rowOf, timeOf, totpCredential } from "./people.ts";

const known = {
  mapped: [
    "id",
    "email",
    "encrypted_password",
    "email_confirmed_at",
    "phone",
    "raw_user_meta_data",
    "raw_app_meta_data",
    "banned_until",
    "created_at",
  ],
  ignored: [
    ...[
      "instance_id",
      "aud",
      "role",
      "invited_at",
      "confirmed_at",
      "updated_at",
      "last_sign_in_at",
      "is_sso_user",
      "is_super_admin",
      "phone_confirmed_at",
    ],
    ...[
      "confirmation_sent_at",
      "recovery_sent_at",
      "email_change_sent_at",
      "phone_change_sent_at",
      "reauthentication_sent_at",
      "email_change_confirm_status",
    ],
    ...["deleted_at", "is_anonymous"],
  ],
  ignoredPrefixes: ["confirmation_token", "recovery_token", "email_change", "phone_change", "reauthentication_token"],
};
const isIdentities = ({ head }: SourceFile) => /"identity_data"\s*:/.test(head);
const isFactors = ({ head }: SourceFile) => /"factor_type"\s*:/.test(head);

/** Reads rows of `auth.users` as JSON. Rows of `auth.identities` and `auth.mfa_factors` are in separate files. */
export const supabase: ExternalSource = {
  name: "supabase",
  title: "Supabase Auth",
  looksLike: ({ head }) => /"encrypted_password"\s*:/.test(head),
  async translate({ files, now }, { report, user: write }) {
    const links = new Map<string, { provider: string; subject: string }[]>();
    const keys = new Map<string, Buffer>();
    for (const file of files.filter(isIdentities))
      for await (const { value } of objectsOf(file, report, "identities")) {
        const [owner, subject] = [String(value.user_id), textOf(value.provider_id) ?? textOf(recordOf(value.identity_data).sub)];
        if (["email", "phone"].includes(String(value.provider)) || subject === undefined) continue;
        addTo(links, owner, { provider: aliasOf(String(value.provider)), subject });
      }
    for (const file of files.filter(isFactors))
      for await (const { value, at } of objectsOf(file, report, "factors")) {
        const key = value.factor_type === "totp" && value.status === "verified" ? fromBase32(textOf(value.secret) ?? "") : null;
        if (key) keys.set(String(value.user_id), key);
        else report.unmapped(`factors[${textOf(value.factor_type)}]`, "Only verified authenticator apps are carried over", at);
      }
    for (const file of files.filter((one) => !isIdentities(one) && !isFactors(one)))
      for await (const { value, at } of objectsOf(file, report)) {
        if (textOf(value.deleted_at) !== undefined || value.is_anonymous === true) {
          report.ignored("users[].deleted_at or is_anonymous");
          continue;
        }
        report.members("users[]", at, value, known);
        const id = String(value.id);
        const [email, phone, hash] = [textOf(value.email), textOf(value.phone), textOf(value.encrypted_password)];
        if (hash === undefined && !links.has(id)) report.choice(NO_PASSWORDS);
        const banned = timeOf(value.banned_until, Number.MAX_SAFE_INTEGER);
        await write(
          rowOf(email ?? phone ?? id, {
            userId: uuidOf(id),
            email,
            emailVerified: email === undefined ? undefined : textOf(value.email_confirmed_at) !== undefined,
            enabled: banned !== undefined && banned > now ? false : undefined,
            createdAt: timeOf(value.created_at, now),
            passwordHash: hash,
            attributes: attributesFrom(
              {
                phoneNumber: phone,
                ...prefixed("user_metadata", value.raw_user_meta_data),
                ...prefixed("app_metadata", value.raw_app_meta_data),
              },
              report,
              "users[].raw_user_meta_data",
              at,
            ),
            federatedIdentities: links.get(id),
            credentials: keys.has(id) ? [totpCredential(keys.get(id)!)] : undefined,
          }),
        );
      }
    return {};
  },
};
