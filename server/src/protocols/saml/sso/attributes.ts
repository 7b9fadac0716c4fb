import type { ClaimSubject, SubjectNeeds } from "../../../applications/claims/index.ts";
import type { SamlClientSnapshot } from "../../../applications/saml-clients/index.ts";
import type { NewAttribute } from "../../../platform/saml/index.ts";
import type { LiveSession } from "../../../signin/sessions/index.ts";

export const needsFor = (_client: SamlClientSnapshot): SubjectNeeds => ({ roles: false, groups: false, organizations: false });

export function attributesFor(client: SamlClientSnapshot, { user }: ClaimSubject, _session: LiveSession): NewAttribute[] {
  if (!client.options.includeAttributes || !user) return [];
  const text = (name: string) => [user.attributes[name] ?? []].flat();
  const told = {
    username: [user.username],
    email: user.email === null ? [] : [user.email],
    firstName: text("firstName"),
    lastName: text("lastName"),
  };
  return Object.entries(told).flatMap(([name, values]) => (values.length > 0 ? [{ name, values }] : []));
}
