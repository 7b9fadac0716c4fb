import type { Texts } from "./defaults.texts.ts";

export const german: Texts = {
  lang: "de",
  greeting: "Hallo {{user}},",
  plain: {
    "otp-sms": { subject: null, body: "{{code}} ist Ihr Code für {{realm}}. Er ist {{ttl}} gültig. Geben Sie ihn niemals weiter." },
    "push-approval": { subject: "Bei {{realm}} anmelden?", body: "Bestätigen Sie nur, wenn Sie, {{user}}, sich gerade selbst anmelden." },
  },
  mails: {
    "otp-email": {
      subject: "Ihr Anmeldecode für {{realm}}",
      heading: "Ihr Anmeldecode",
      lead: "Geben Sie diesen Code ein, um sich bei {{realm}} anzumelden:",
      code: "{{code}}",
      notes: [
        "Er ist {{ttl}} gültig. Wir fragen Sie niemals danach.",
        "Sie wollten sich nicht anmelden? Dann ignorieren Sie diese E-Mail einfach.",
      ],
    },
    "magic-link-email": {
      subject: "Bei {{realm}} anmelden",
      heading: "Mit einem Klick anmelden",
      lead: "Melden Sie sich mit dieser Schaltfläche bei {{realm}} an. Ein Passwort ist nicht nötig.",
      button: { label: "Anmelden", href: "{{link}}" },
      notes: [
        "Der Link funktioniert nur einmal und ist {{ttl}} gültig.",
        "Sie haben ihn nicht angefordert? Dann ignorieren Sie diese E-Mail einfach: Ohne den Link kommt niemand hinein.",
      ],
    },
    "verify-email": {
      subject: "Bestätigen Sie Ihre E-Mail-Adresse für {{realm}}",
      heading: "E-Mail-Adresse bestätigen",
      lead: "Bitte bestätigen Sie, dass diese E-Mail-Adresse Ihnen gehört: Geben Sie diesen Code auf der Seite ein, die danach fragt, oder verwenden Sie die Schaltfläche.",
      code: "{{code}}",
      button: { label: "Adresse bestätigen", href: "{{link}}" },
      notes: [
        "Beides ist {{ttl}} gültig. Geben Sie den Code niemals weiter.",
        "Sie kennen {{realm}} nicht? Dann hat sich jemand bei der Adresse vertippt, und Sie können diese E-Mail ignorieren.",
      ],
    },
    "change-email": {
      subject: "Neue E-Mail-Adresse für {{realm}} bestätigen",
      heading: "Bestätigen Sie Ihre neue E-Mail-Adresse",
      lead: "Jemand möchte diese E-Mail-Adresse für Ihr Konto bei {{realm}} verwenden. Wenn Sie das waren, nutzen Sie diese Schaltfläche: Ab dann ist es Ihre Adresse.",
      button: { label: "Neue Adresse bestätigen", href: "{{link}}" },
      notes: [
        "Der Link funktioniert einmal, innerhalb von {{ttl}}.",
        "Sie waren das nicht? Dann ignorieren Sie diese E-Mail: Es ändert sich nichts.",
      ],
    },
    "email-change-notice": {
      subject: "Ihre E-Mail-Adresse bei {{realm}} soll geändert werden",
      heading: "Ihre E-Mail-Adresse soll geändert werden",
      lead: "Jemand, der in Ihrem Konto bei {{realm}} angemeldet ist, möchte diese E-Mail-Adresse ersetzen oder entfernen. Wenn Sie das waren, brauchen Sie nichts zu tun.",
      notes: [
        "Sie waren das nicht? Dann melden Sie sich an und ändern Sie jetzt Ihr Passwort: Eine neue Adresse, die noch nicht bestätigt ist, wird dann abgelehnt.",
      ],
    },
    "reset-password-email": {
      subject: "Wählen Sie ein neues Passwort für {{realm}}",
      heading: "Neues Passwort wählen",
      lead: "Jemand hat für Ihr Konto bei {{realm}} ein neues Passwort angefordert. Wenn Sie das waren, geben Sie diesen Code auf der Seite ein, die danach fragt, oder verwenden Sie die Schaltfläche:",
      code: "{{code}}",
      button: { label: "Neues Passwort wählen", href: "{{link}}" },
      notes: [
        "Beides funktioniert nur einmal und ist {{ttl}} gültig. Geben Sie den Code niemals weiter.",
        "Sie waren das nicht? Dann ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.",
      ],
    },
    "account-actions-email": {
      subject: "Aktualisieren Sie Ihr Konto bei {{realm}}",
      heading: "Aktualisieren Sie Ihr Konto",
      lead: "Die Administration von {{realm}} bittet Sie, Ihr Konto zu aktualisieren: zum Beispiel ein Passwort zu wählen oder einen zweiten Schritt für die Anmeldung einzurichten. Diese Schaltfläche führt Sie hindurch.",
      button: { label: "Konto aktualisieren", href: "{{link}}" },
      notes: [
        "Der Link funktioniert einmal und ist {{ttl}} gültig. Er ist nur für Sie: Geben Sie ihn nicht weiter.",
        "Sie haben diese E-Mail nicht erwartet? Fragen Sie bei der Administration nach, bevor Sie fortfahren.",
      ],
    },
    "account-exists-email": {
      subject: "Sie haben bei {{realm}} schon ein Konto",
      heading: "Sie haben schon ein Konto",
      lead: "Jemand wollte bei {{realm}} mit dieser E-Mail-Adresse ein Konto erstellen, aber es gibt schon eines. Wenn Sie das waren, melden Sie sich einfach an; dort können Sie auch ein neues Passwort wählen.",
      button: { label: "Anmelden", href: "{{link}}" },
      notes: ["Sie waren das nicht? Dann ignorieren Sie diese E-Mail: Es hat sich nichts geändert."],
    },
    "invitation-email": {
      subject: "Sie sind zu {{organization}} eingeladen",
      heading: "Einladung zu {{organization}}",
      lead: "Sie sind eingeladen, {{organization}} bei {{realm}} beizutreten. Nehmen Sie die Einladung mit dieser Schaltfläche an; wenn Sie noch kein Konto haben, erstellen Sie dort eines.",
      button: { label: "Einladung annehmen", href: "{{link}}" },
      notes: [
        "Der Link funktioniert nur einmal und ist {{ttl}} gültig.",
        "Sie haben sie nicht erwartet? Dann können Sie diese E-Mail ignorieren.",
      ],
    },
    "new-device-email": {
      subject: "Neue Anmeldung bei {{realm}}",
      heading: "Anmeldung auf einem neuen Gerät",
      lead: "Ihr Konto bei {{realm}} wurde auf einem Gerät verwendet, das wir noch nicht kennen. Wenn Sie das waren, brauchen Sie nichts zu tun.",
      facts: [
        ["Browser", "{{browser}}"],
        ["Adresse", "{{address}}"],
        ["Zeitpunkt", "{{time}}"],
      ],
      button: { label: "Mein Konto ansehen", href: "{{link}}" },
      notes: ["Sie waren das nicht? Dann ändern Sie jetzt Ihr Passwort, und beenden Sie die Sitzungen, die Sie nicht kennen."],
    },
    "agent-review-email": {
      subject: "Bitte prüfen Sie den Agenten {{agent}} bei {{realm}}",
      heading: "Wird {{agent}} noch gebraucht?",
      lead: "Sie sind bei {{realm}} für den Agenten {{agent}} verantwortlich. Seine Prüfung steht an: Bestätigen Sie, dass er noch gebraucht wird und nicht mehr darf als nötig, oder setzen Sie ihn aus.",
      button: { label: "Mein Konto ansehen", href: "{{link}}" },
      notes: ["Ist der Agent nicht mehr Ihrer? Dann sagen Sie es bitte der Verwaltung von {{realm}}."],
    },
  },
};
