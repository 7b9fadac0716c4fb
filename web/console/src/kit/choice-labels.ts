/** The texts for values that the API names for programs, by member and value. Other values are shown unchanged. */
export const CHOICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  channel: { EMAIL: "Email", SMS: "SMS", PUSH: "Push" },
  driver: {
    smtp: "SMTP server",
    http: "HTTP gateway",
    twilio: "Twilio",
    fcm: "Firebase Cloud Messaging",
    apns: "Apple push (APNs)",
  },
  security: { starttls: "STARTTLS", tls: "TLS from the start", none: "None: only within this server's own network" },
  protocol: {
    oidc: "OpenID Connect",
    oauth2: "OAuth 2.0",
    google: "Google",
    github: "GitHub",
    microsoft: "Microsoft",
    apple: "Apple",
    gitlab: "GitLab",
    linkedin: "LinkedIn",
    facebook: "Facebook",
    discord: "Discord",
    saml: "SAML 2.0",
    eherkenning: "eHerkenning",
    eidas: "eIDAS",
    ldap: "LDAP directory",
    ad: "Active Directory",
  },
  provisioning: {
    create: "Create an account for them",
    "link-only": "Only link accounts that users prove to be theirs",
    deny: "Refuse them",
  },
  logic: { POSITIVE: "As the policy decides", NEGATIVE: "The opposite" },
  decisionStrategy: { UNANIMOUS: "All must permit", AFFIRMATIVE: "One must permit", CONSENSUS: "More must permit than deny" },
  sync: { import: "At the first sign-in only", force: "At each sign-in" },
  editMode: { READ_ONLY: "Read only", PASSWORD: "Write new passwords" },
  signInWhenUnreachable: { allow: "Allow", refuse: "Refuse" },
  refreshWhenUnreachable: { allow: "Allow", refuse: "Refuse" },
  returningEntries: { new: "A new user", former: "The former user again" },
};

export const wordsFor = (name: string, value: string): string => CHOICES[name]?.[value] ?? value;

/** Returns the options of a choice, each with its text for people. */
export const optionsOf = (name: string, values: readonly (string | number)[], t: (text: string) => string) =>
  values.map((value) => ({ value: String(value), label: t(wordsFor(name, String(value))) }));
