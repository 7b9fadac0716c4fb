import { recordOf, textOf } from "../reading.ts";
import { objectsOf } from "../rows.ts";
import type { ExternalSource } from "../source.ts";
import { attributesFrom, LEGACY, NO_PASSWORDS, proposeSubject, rowOf, timeOf } from "./people.ts";

const known = {
  mapped: ["id", "status", "created", "profile"],
  ignored: [
    "activated",
    "statusChanged",
    "lastLogin",
    "lastUpdated",
    "passwordChanged",
    "type",
    "_links",
    "_embedded",
    "realmId",
    "transitioningToStatus",
  ],
  apart: ["credentials"],
};
const SHUT_OUT = ["SUSPENDED", "DEPROVISIONED"];

/** Reads the list of `GET /api/v1/users`. Okta exports no hashes. */
export const okta: ExternalSource = {
  name: "okta",
  title: "Okta",
  looksLike: ({ head }) => /"profile"\s*:/.test(head) && /"login"\s*:/.test(head) && /"status"\s*:/.test(head),
  async translate({ files, now }, { report, user: write }) {
    for (const file of files)
      for await (const { value, at } of objectsOf(file, report)) {
        report.members("users[]", at, value, known);
        report.choice(NO_PASSWORDS);
        proposeSubject(report);
        const provider = textOf(recordOf(recordOf(value.credentials).provider).type) ?? "OKTA";
        if (provider !== "OKTA")
          report.unmapped(`users[].credentials.provider[${provider}]`, "Link these users to an identity provider or a directory here", at);
        const {
          login,
          email,
          firstName,
          lastName,
          mobilePhone,
          primaryPhone,
          displayName,
          secondEmail: _,
          ...profile
        } = recordOf(value.profile);
        await write(
          rowOf(textOf(login) ?? textOf(email) ?? String(value.id), {
            email: textOf(email),
            enabled: SHUT_OUT.includes(String(value.status)) ? false : undefined,
            createdAt: timeOf(value.created, now),
            attributes: attributesFrom(
              { ...profile, firstName, lastName, name: displayName, phoneNumber: mobilePhone ?? primaryPhone, [LEGACY]: value.id },
              report,
              "users[].profile",
              at,
            ),
          }),
        );
      }
    return {};
  },
};
