import type { Texts } from "./defaults.texts.ts";

export const italian: Texts = {
  lang: "it",
  greeting: "Ciao {{user}},",
  plain: {
    "otp-sms": { subject: null, body: "{{code}} è il tuo codice per {{realm}}. Vale per {{ttl}}. Non darlo a nessuno." },
    "push-approval": { subject: "Accedere a {{realm}}?", body: "Approva solo se sei tu, {{user}}, ad accedere in questo momento." },
  },
  mails: {
    "otp-email": {
      subject: "Il tuo codice di accesso per {{realm}}",
      heading: "Il tuo codice di accesso",
      lead: "Inserisci questo codice per accedere a {{realm}}:",
      code: "{{code}}",
      notes: [
        "È valido per {{ttl}}. Non te lo chiederemo mai.",
        "Non stavi cercando di accedere? Allora ignora semplicemente questa email.",
      ],
    },
    "magic-link-email": {
      subject: "Accedi a {{realm}}",
      heading: "Accedi con un clic",
      lead: "Usa questo pulsante per accedere a {{realm}}. Non serve la password.",
      button: { label: "Accedi", href: "{{link}}" },
      notes: [
        "Il link funziona una sola volta ed è valido per {{ttl}}.",
        "Non l’hai richiesto? Allora ignora semplicemente questa email: senza il link nessuno può entrare.",
      ],
    },
    "verify-email": {
      subject: "Conferma il tuo indirizzo email per {{realm}}",
      heading: "Conferma il tuo indirizzo email",
      lead: "Conferma che questo indirizzo email è tuo: inserisci il codice nella pagina che lo chiede oppure usa il pulsante.",
      code: "{{code}}",
      button: { label: "Conferma il mio indirizzo", href: "{{link}}" },
      notes: [
        "Entrambi sono validi per {{ttl}}. Non dare il codice a nessuno.",
        "Non conosci {{realm}}? Allora qualcuno ha sbagliato a scrivere il proprio indirizzo e puoi ignorare questa email.",
      ],
    },
    "change-email": {
      subject: "Conferma il tuo nuovo indirizzo email per {{realm}}",
      heading: "Conferma il tuo nuovo indirizzo email",
      lead: "Qualcuno ha chiesto di usare questo indirizzo email per il tuo account su {{realm}}. Se sei stato tu, usa questo pulsante: da quel momento sarà il tuo indirizzo.",
      button: { label: "Conferma il mio nuovo indirizzo", href: "{{link}}" },
      notes: [
        "Il link funziona una sola volta ed è valido per {{ttl}}.",
        "Non sei stato tu? Allora ignora questa email: non cambia nulla.",
      ],
    },
    "email-change-notice": {
      subject: "Il tuo indirizzo email su {{realm}} sta per cambiare",
      heading: "Il tuo indirizzo email sta per cambiare",
      lead: "Qualcuno che ha effettuato l’accesso al tuo account su {{realm}} ha chiesto di sostituire o rimuovere questo indirizzo email. Se sei stato tu, non devi fare nulla.",
      notes: ["Non sei stato tu? Allora accedi e cambia subito la password: un nuovo indirizzo non ancora confermato verrà rifiutato."],
    },
    "reset-password-email": {
      subject: "Scegli una nuova password per {{realm}}",
      heading: "Scegli una nuova password",
      lead: "Qualcuno ha chiesto una nuova password per il tuo account su {{realm}}. Se sei stato tu, inserisci questo codice nella pagina che lo chiede oppure usa il pulsante:",
      code: "{{code}}",
      button: { label: "Scegli una nuova password", href: "{{link}}" },
      notes: [
        "Entrambi funzionano una sola volta e sono validi per {{ttl}}. Non dare il codice a nessuno.",
        "Non sei stato tu? Allora ignora questa email: la tua password resta com’è.",
      ],
    },
    "account-actions-email": {
      subject: "Aggiorna il tuo account su {{realm}}",
      heading: "Aggiorna il tuo account",
      lead: "Un amministratore di {{realm}} ti chiede di aggiornare il tuo account: per esempio di scegliere una password o di configurare un secondo passaggio per l’accesso. Questo pulsante ti guida.",
      button: { label: "Aggiorna il mio account", href: "{{link}}" },
      notes: [
        "Il link funziona una sola volta ed è valido per {{ttl}}. È solo tuo: non inoltrarlo.",
        "Non aspettavi questa email? Chiedi all’amministratore prima di continuare.",
      ],
    },
    "account-exists-email": {
      subject: "Hai già un account su {{realm}}",
      heading: "Hai già un account",
      lead: "Qualcuno voleva creare un account su {{realm}} con questo indirizzo email, ma ne esiste già uno. Se sei stato tu, accedi semplicemente; lì puoi anche scegliere una nuova password.",
      button: { label: "Accedi", href: "{{link}}" },
      notes: ["Non sei stato tu? Allora ignora questa email: non è cambiato nulla."],
    },
    "invitation-email": {
      subject: "Sei invitato a unirti a {{organization}}",
      heading: "Unisciti a {{organization}}",
      lead: "Sei invitato a unirti a {{organization}} su {{realm}}. Usa questo pulsante per accettare; se non hai ancora un account, lo crei lì.",
      button: { label: "Accetta l’invito", href: "{{link}}" },
      notes: ["Il link funziona una sola volta ed è valido per {{ttl}}.", "Se non lo aspettavi, puoi ignorare questa email."],
    },
    "new-device-email": {
      subject: "Nuovo accesso a {{realm}}",
      heading: "Accesso da un nuovo dispositivo",
      lead: "Il tuo account su {{realm}} è stato usato su un dispositivo che non conosciamo ancora. Se sei stato tu, non devi fare nulla.",
      facts: [
        ["Browser", "{{browser}}"],
        ["Indirizzo", "{{address}}"],
        ["Ora", "{{time}}"],
      ],
      button: { label: "Guarda il mio account", href: "{{link}}" },
      notes: ["Non sei stato tu? Allora cambia subito la password e termina le sessioni che non riconosci."],
    },
    "agent-review-email": {
      subject: "Verifica l’agente {{agent}} su {{realm}}",
      heading: "{{agent}} serve ancora?",
      lead: "Sei responsabile dell’agente {{agent}} su {{realm}}. È il momento di verificarlo: conferma che serve ancora e che non può fare più del necessario, oppure sospendilo.",
      button: { label: "Guarda il mio account", href: "{{link}}" },
      notes: ["L’agente non è più tuo? Dillo a un amministratore di {{realm}}."],
    },
  },
};
