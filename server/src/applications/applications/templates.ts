import type { Client, CreateClient } from "../clients/index.ts";

/** A kind of application, and the first settings of its client. */
interface Template {
  readonly label: string;
  readonly client: Omit<CreateClient, "clientId">;
  /** True if it needs redirect URIs. */
  readonly redirects: boolean;
  /** Tells whether a client is of this kind, however it was created. The first match counts. */
  matches(client: Pick<Client, "applicationType" | "publicClient" | "grantTypes">): boolean;
}

const signsPeopleIn: CreateClient["grantTypes"] = ["authorization_code", "refresh_token"];

export const templates = {
  native: {
    label: "An app on a phone or a computer",
    client: { applicationType: "native", publicClient: true, grantTypes: signsPeopleIn },
    redirects: true,
    matches: ({ applicationType }) => applicationType === "native",
  },
  spa: {
    label: "A page whose scripts call APIs from the browser",
    client: { applicationType: "web", publicClient: true, grantTypes: signsPeopleIn, webOrigins: ["+"] },
    redirects: true,
    matches: ({ publicClient }) => publicClient,
  },
  machine: {
    label: "A program that acts for itself, without people",
    client: { applicationType: "web", publicClient: false, grantTypes: ["client_credentials"] },
    redirects: false,
    matches: ({ grantTypes }) => grantTypes.length > 0 && grantTypes.every((grant) => grant === "client_credentials"),
  },
  web: {
    label: "A web application with a server that keeps its secret",
    client: { applicationType: "web", publicClient: false, grantTypes: signsPeopleIn },
    redirects: true,
    matches: () => true,
  },
} satisfies Record<string, Template>;

type TemplateName = keyof typeof templates;
export const templateNames = Object.keys(templates) as TemplateName[];
export const templateOf = (client: Client): TemplateName => templateNames.find((name) => templates[name].matches(client))!;
