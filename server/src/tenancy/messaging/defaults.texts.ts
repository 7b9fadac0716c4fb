import type { MailText } from "./defaults.layout.ts";
import type { TemplateKey } from "./templates.catalogue.ts";

/** A message that consists of text only. `subject` is the title of a push message. */
export interface PlainText {
  readonly subject: string | null;
  readonly body: string;
}

type MailKey = Exclude<TemplateKey, "otp-sms" | "push-approval">;

export interface Texts {
  readonly lang: string;
  readonly greeting: string;
  /** The colon of languages that put a space before it. */
  readonly colon?: string;
  readonly plain: Record<"otp-sms" | "push-approval", PlainText>;
  readonly mails: Record<MailKey, MailText>;
}

export const english: Texts = {
  lang: "en",
  greeting: "Hello {{user}},",
  plain: {
    "otp-sms": { subject: null, body: "{{code}} is your code for {{realm}}. It is valid for {{ttl}}. Never share it with anyone." },
    "push-approval": { subject: "Sign in to {{realm}}?", body: "Approve only if it is you, {{user}}, who is signing in right now." },
  },
  mails: {
    "otp-email": {
      subject: "Your sign-in code for {{realm}}",
      heading: "Your sign-in code",
      lead: "Enter this code to sign in to {{realm}}:",
      code: "{{code}}",
      notes: ["It is valid for {{ttl}}. We will never ask you for it.", "If you did not try to sign in, simply ignore this email."],
    },
    "magic-link-email": {
      subject: "Sign in to {{realm}}",
      heading: "Sign in with one click",
      lead: "Use this button to sign in to {{realm}}. No password needed.",
      button: { label: "Sign in", href: "{{link}}" },
      notes: [
        "The link works once, within {{ttl}}.",
        "If you did not ask for it, simply ignore this email: the link is needed to sign in.",
      ],
    },
    "verify-email": {
      subject: "Confirm your email address for {{realm}}",
      heading: "Confirm your email address",
      lead: "Please confirm that this email address is yours: type this code on the page that requested it, or use the button.",
      code: "{{code}}",
      button: { label: "Confirm my address", href: "{{link}}" },
      notes: [
        "Both are valid for {{ttl}}. Never give the code to anyone.",
        "If you do not know {{realm}}, the address was mistyped, and you can ignore this email.",
      ],
    },
    "change-email": {
      subject: "Confirm your new email address for {{realm}}",
      heading: "Confirm your new email address",
      lead: "We received a request to use this email address for your account at {{realm}}. If that was you, use this button: from then on it is your address.",
      button: { label: "Confirm my new address", href: "{{link}}" },
      notes: ["The link works once, within {{ttl}}.", "If it was not you, ignore this email: nothing changes."],
    },
    "email-change-notice": {
      subject: "Your email address at {{realm}} is about to change",
      heading: "Your email address is about to change",
      lead: "A signed-in user of your account at {{realm}} asked to replace or remove this email address. If that was you, there is nothing to do.",
      notes: ["If it was not you, sign in and change your password now: a new address that is not confirmed yet is then refused."],
    },
    "reset-password-email": {
      subject: "Choose a new password for {{realm}}",
      heading: "Choose a new password",
      lead: "We received a request for a new password for your account at {{realm}}. If that was you, type this code on the page that requested it, or use the button:",
      code: "{{code}}",
      button: { label: "Choose a new password", href: "{{link}}" },
      notes: [
        "They work once, within {{ttl}}. Never give the code to anyone.",
        "If it was not you, ignore this email: your password stays as it is.",
      ],
    },
    "account-actions-email": {
      subject: "Update your account at {{realm}}",
      heading: "Update your account",
      lead: "An administrator of {{realm}} asks you to bring your account up to date: to choose a password, for example, or to set up a second step for signing in. This button leads you through it.",
      button: { label: "Update my account", href: "{{link}}" },
      notes: [
        "The link works once, within {{ttl}}. It is yours alone: do not pass it on.",
        "If you did not expect this email, ask the administrator before you go on.",
      ],
    },
    "account-exists-email": {
      subject: "You already have an account at {{realm}}",
      heading: "You already have an account",
      lead: "We received a request to create an account at {{realm}} with this email address, but there is one already. If that was you, simply sign in; there you can also choose a new password.",
      button: { label: "Sign in", href: "{{link}}" },
      notes: ["If it was not you, ignore this email: nothing has changed."],
    },
    "invitation-email": {
      subject: "You are invited to join {{organization}}",
      heading: "Join {{organization}}",
      lead: "You are invited to join {{organization}} at {{realm}}. Use this button to accept; if you have no account yet, you create one there.",
      button: { label: "Accept the invitation", href: "{{link}}" },
      notes: ["The link works once, within {{ttl}}.", "If you did not expect it, you can ignore this email."],
    },
    "new-device-email": {
      subject: "New sign-in to {{realm}}",
      heading: "A new device signed in",
      lead: "Your account at {{realm}} was used on a device that we have not seen before. If that was you, there is nothing to do.",
      facts: [
        ["Browser", "{{browser}}"],
        ["Address", "{{address}}"],
        ["Time", "{{time}}"],
      ],
      button: { label: "Look at my account", href: "{{link}}" },
      notes: ["If it was not you, change your password now, and end the sessions that you do not recognise."],
    },
    "agent-review-email": {
      subject: "Please review the agent {{agent}} at {{realm}}",
      heading: "Is {{agent}} still needed?",
      lead: "You answer for the agent {{agent}} at {{realm}}. Its review is due: please confirm that it is still needed and may do no more than it needs, or suspend it.",
      button: { label: "Look at my account", href: "{{link}}" },
      notes: ["If the agent is no longer yours, tell an administrator of {{realm}}."],
    },
  },
};

export const dutch: Texts = {
  lang: "nl",
  greeting: "Hallo {{user}},",
  plain: {
    "otp-sms": { subject: null, body: "{{code}} is je code voor {{realm}}. De code is {{ttl}} geldig. Deel de code met niemand." },
    "push-approval": { subject: "Inloggen bij {{realm}}?", body: "Keur dit alleen goed als jij, {{user}}, nu zelf inlogt." },
  },
  mails: {
    "otp-email": {
      subject: "Je inlogcode voor {{realm}}",
      heading: "Je inlogcode",
      lead: "Vul deze code in om in te loggen bij {{realm}}:",
      code: "{{code}}",
      notes: [
        "De code is {{ttl}} geldig. Wij vragen je er nooit om.",
        "Probeerde je niet in te loggen? Dan kun je deze e-mail gewoon negeren.",
      ],
    },
    "magic-link-email": {
      subject: "Inloggen bij {{realm}}",
      heading: "Inloggen met één klik",
      lead: "Gebruik deze knop om in te loggen bij {{realm}}. Een wachtwoord is niet nodig.",
      button: { label: "Inloggen", href: "{{link}}" },
      notes: [
        "De link werkt één keer, en is {{ttl}} geldig.",
        "Vroeg je hier niet om? Dan kun je deze e-mail gewoon negeren: zonder de link komt niemand binnen.",
      ],
    },
    "verify-email": {
      subject: "Bevestig je e-mailadres voor {{realm}}",
      heading: "Bevestig je e-mailadres",
      lead: "Bevestig alsjeblieft dat dit e-mailadres van jou is: vul deze code in op de pagina die erom vroeg, of gebruik de knop.",
      code: "{{code}}",
      button: { label: "Mijn adres bevestigen", href: "{{link}}" },
      notes: [
        "Beide zijn {{ttl}} geldig. Geef de code aan niemand.",
        "Ken je {{realm}} niet? Dan heeft iemand zich vertypt en kun je deze e-mail negeren.",
      ],
    },
    "change-email": {
      subject: "Bevestig je nieuwe e-mailadres voor {{realm}}",
      heading: "Bevestig je nieuwe e-mailadres",
      lead: "Iemand wil dit e-mailadres gebruiken voor je account bij {{realm}}. Was jij dat, gebruik dan deze knop: vanaf dan is dit je adres.",
      button: { label: "Mijn nieuwe adres bevestigen", href: "{{link}}" },
      notes: ["De link werkt één keer, binnen {{ttl}}.", "Was jij dat niet? Negeer deze e-mail dan: er verandert niets."],
    },
    "email-change-notice": {
      subject: "Je e-mailadres bij {{realm}} wordt gewijzigd",
      heading: "Je e-mailadres wordt gewijzigd",
      lead: "Iemand die is ingelogd op je account bij {{realm}} wil dit e-mailadres vervangen of verwijderen. Was jij dat, dan hoef je niets te doen.",
      notes: ["Was jij dat niet? Log dan in en verander nu je wachtwoord: een nieuw adres dat nog niet is bevestigd, wordt dan geweigerd."],
    },
    "reset-password-email": {
      subject: "Kies een nieuw wachtwoord voor {{realm}}",
      heading: "Kies een nieuw wachtwoord",
      lead: "Iemand vroeg om een nieuw wachtwoord voor je account bij {{realm}}. Was jij dat, vul dan deze code in op de pagina die erom vroeg, of gebruik de knop:",
      code: "{{code}}",
      button: { label: "Nieuw wachtwoord kiezen", href: "{{link}}" },
      notes: [
        "Ze werken één keer, en zijn {{ttl}} geldig. Geef de code aan niemand.",
        "Was jij dat niet? Negeer deze e-mail dan: je wachtwoord blijft zoals het is.",
      ],
    },
    "account-actions-email": {
      subject: "Werk je account bij {{realm}} bij",
      heading: "Werk je account bij",
      lead: "Een beheerder van {{realm}} vraagt je om je account bij te werken: om bijvoorbeeld een wachtwoord te kiezen of een tweede stap voor het inloggen in te stellen. Deze knop leidt je erdoorheen.",
      button: { label: "Mijn account bijwerken", href: "{{link}}" },
      notes: [
        "De link werkt één keer, en is {{ttl}} geldig. Hij is alleen voor jou: geef hem niet door.",
        "Verwachtte je deze e-mail niet? Vraag het dan na bij de beheerder voordat je verdergaat.",
      ],
    },
    "account-exists-email": {
      subject: "Je hebt al een account bij {{realm}}",
      heading: "Je hebt al een account",
      lead: "Iemand wilde bij {{realm}} een account aanmaken met dit e-mailadres, maar dat is er al. Was jij dat, log dan gewoon in; daar kun je ook een nieuw wachtwoord kiezen.",
      button: { label: "Inloggen", href: "{{link}}" },
      notes: ["Was jij dat niet? Negeer deze e-mail dan: er is niets veranderd."],
    },
    "invitation-email": {
      subject: "Je bent uitgenodigd voor {{organization}}",
      heading: "Uitnodiging voor {{organization}}",
      lead: "Je bent uitgenodigd voor {{organization}} bij {{realm}}. Accepteer de uitnodiging met deze knop; heb je nog geen account, dan maak je het daar aan.",
      button: { label: "Uitnodiging accepteren", href: "{{link}}" },
      notes: ["De link werkt één keer, en is {{ttl}} geldig.", "Had je deze niet verwacht? Dan kun je deze e-mail negeren."],
    },
    "new-device-email": {
      subject: "Nieuwe aanmelding bij {{realm}}",
      heading: "Er is ingelogd op een nieuw apparaat",
      lead: "Je account bij {{realm}} is gebruikt op een apparaat dat we nog niet kenden. Was jij dat, dan hoef je niets te doen.",
      facts: [
        ["Browser", "{{browser}}"],
        ["Adres", "{{address}}"],
        ["Tijdstip", "{{time}}"],
      ],
      button: { label: "Mijn account bekijken", href: "{{link}}" },
      notes: ["Was jij dat niet? Verander dan nu je wachtwoord, en beëindig de sessies die je niet kent."],
    },
    "agent-review-email": {
      subject: "Beoordeel de agent {{agent}} bij {{realm}}",
      heading: "Is {{agent}} nog nodig?",
      lead: "Jij bent verantwoordelijk voor de agent {{agent}} bij {{realm}}. De beoordeling is aan de beurt: bevestig dat de agent nog nodig is en niet meer mag dan nodig, of schort hem op.",
      button: { label: "Mijn account bekijken", href: "{{link}}" },
      notes: ["Is de agent niet meer van jou? Laat het een beheerder van {{realm}} weten."],
    },
  },
};
