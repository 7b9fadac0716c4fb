import { fromBase32 } from "../../../kernel/base32.ts";
import { recordOf, recordsOf, textOf, textsOf, uuidOf, type Values } from "../reading.ts";
import { objectsOf } from "../rows.ts";
import type { ExternalSource } from "../source.ts";
import { aliasOf, attributesFrom, NO_PASSWORDS, prefixed, rowOf, timeOf, totpCredential } from "./people.ts";

const known = {
  mapped: ["id", "state", "traits", "verifiable_addresses", "credentials", "metadata_public", "created_at"],
  ignored: [
    "schema_id",
    "schema_url",
    "state_changed_at",
    "recovery_addresses",
    "updated_at",
    "metadata_admin",
    "organization_id",
    "external_id",
  ],
};

/** Reads identities of Ory Kratos in the form of `ory list identities` and of its import of identities. */
export const kratos: ExternalSource = {
  name: "kratos",
  title: "Ory Kratos",
  looksLike: ({ head }) => /"traits"\s*:/.test(head) && /"(schema_id|credentials|verifiable_addresses)"\s*:/.test(head),
  async translate({ files, now }, { report, user: write }) {
    for (const file of files)
      for await (const { value, at } of objectsOf(file, report)) {
        report.members("users[]", at, value, known);
        const traits = recordOf(value.traits);
        const { password, oidc, totp, ...others } = recordOf(value.credentials) as Record<string, Values | undefined>;
        for (const type of Object.keys(others))
          report.unmapped(`users[].credentials.${type}`, "The user sets this up anew: it cannot be checked here", at);
        const hash = textOf(recordOf(password?.config).hashed_password);
        if (hash === undefined) report.choice(NO_PASSWORDS);
        const email = textOf(traits.email);
        const username = textOf(traits.username) ?? email ?? textsOf(password?.identifiers)[0] ?? String(value.id);
        const isVerified = recordsOf(value.verifiable_addresses).some((one) => one.value === email && one.verified === true);
        const links = recordsOf(recordOf(oidc?.config).providers).flatMap(({ provider, subject }) =>
          textOf(subject) === undefined ? [] : [{ provider: aliasOf(String(provider)), subject: textOf(subject)! }],
        );
        const key = /[?&]secret=([A-Z2-7]+)/i.exec(textOf(recordOf(totp?.config).totp_url) ?? "")?.[1];
        const app = key === undefined ? null : fromBase32(key);
        const { email: _, username: __, name, ...more } = traits;
        await write(
          rowOf(username, {
            userId: uuidOf(value.id),
            email,
            emailVerified: email === undefined ? undefined : isVerified,
            enabled: value.state === "inactive" ? false : undefined,
            createdAt: timeOf(value.created_at, now),
            passwordHash: hash,
            attributes: attributesFrom(
              {
                ...{ firstName: recordOf(name).first, lastName: recordOf(name).last, ...(typeof name === "string" && { name }) },
                ...{ ...more, ...prefixed("metadata_public", value.metadata_public) },
              },
              report,
              "users[].traits",
              at,
            ),
            federatedIdentities: links.length > 0 ? links : undefined,
            credentials: app ? [totpCredential(app)] : undefined,
          }),
        );
      }
    return {};
  },
};
