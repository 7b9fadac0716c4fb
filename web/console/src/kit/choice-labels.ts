/** The words for values that the API names for programs, by member and value. Others are shown as they are. */
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
};

export const wordsFor = (name: string, value: string): string => CHOICES[name]?.[value] ?? value;

/** The options of a choice, each with the words that people read. */
export const optionsOf = (name: string, values: readonly (string | number)[], t: (text: string) => string) =>
  values.map((value) => ({ value: String(value), label: t(wordsFor(name, String(value))) }));
