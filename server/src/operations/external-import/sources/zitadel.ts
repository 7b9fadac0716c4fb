import { wholeJson } from "../json-lists.ts";
import { listOf, recordOf, recordsOf, slugOf, textOf } from "../reading.ts";
import type { ExternalSource } from "../source.ts";
import { attributesFrom, LEGACY, NO_PASSWORDS, proposeSubject, rowOf } from "./people.ts";

const LATER = [
  "machineUsers",
  "projects",
  "projectRoles",
  "apiApps",
  "oidcApps",
  "userGrants",
  "projectGrants",
  "actions",
  "idps",
  "oidcIdps",
  "jwtIdps",
  "userLinks",
];

/** Reads the export of organizations with their people. Applications and grants have to be created anew. */
export const zitadel: ExternalSource = {
  name: "zitadel",
  title: "ZITADEL",
  looksLike: ({ head }) => /"orgs"\s*:/.test(head) && /"(humanUsers|orgId)"\s*:/.test(head),
  async translate({ files }, { report, user: write }) {
    const organizations: object[] = [];
    for (const file of files) {
      const document = recordOf(await wholeJson(file.read()));
      for (const org of recordsOf(document.orgs ?? recordOf(document.dataOrgs).orgs)) {
        const name = textOf(recordOf(org.org).name) ?? textOf(org.orgId) ?? "organization";
        const alias = slugOf(name);
        organizations.push({ name, alias });
        report.mapped("orgs[]");
        for (const member of LATER)
          for (const _ of listOf(org[member]))
            report.unmapped(`orgs[].${member}[]`, "Only organizations and people are carried over", `orgs[${name}]`);
        for (const [index, { userId, user: value }] of recordsOf(org.humanUsers).entries()) {
          const at = `orgs[${name}].humanUsers[${index + 1}]`;
          const user = recordOf(value);
          const [profile, email, phone] = [recordOf(user.profile), recordOf(user.email), recordOf(user.phone)];
          const hash = textOf(recordOf(user.hashedPassword).value) ?? textOf(user.hashedPassword);
          report.members("orgs[].humanUsers[]", at, user, {
            mapped: ["userName", "profile", "email", "phone", "hashedPassword", "passwordChangeRequired"],
            ignored: ["requestPasswordlessRegistration"],
          });
          if (hash === undefined) report.choice(NO_PASSWORDS);
          proposeSubject(report);
          const address = textOf(email.email);
          await write(
            rowOf(textOf(user.userName) ?? address ?? String(userId), {
              email: address,
              emailVerified: address === undefined ? undefined : email.isEmailVerified === true,
              passwordHash: hash,
              requiredActions: user.passwordChangeRequired === true ? ["UPDATE_PASSWORD"] : undefined,
              organizations: [{ alias, role: "member" }],
              attributes: attributesFrom(
                {
                  ...{ firstName: profile.firstName, lastName: profile.lastName, nickname: profile.nickName, name: profile.displayName },
                  ...{ locale: profile.preferredLanguage, phoneNumber: phone.phone, [LEGACY]: userId },
                },
                report,
                "orgs[].humanUsers[].profile",
                at,
              ),
            }),
          );
        }
      }
    }
    return organizations.length > 0 ? { organizations } : {};
  },
};
