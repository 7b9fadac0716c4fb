import type { Texts } from "./defaults.texts.ts";

/** In these texts no preposition precedes a span of time, because it would then have to be inflected. */
export const polish: Texts = {
  lang: "pl",
  greeting: "Cześć {{user}},",
  plain: {
    "otp-sms": { subject: null, body: "Kod do {{realm}}: {{code}}. Czas na jego wpisanie: {{ttl}}. Nikomu go nie podawaj." },
    "push-approval": {
      subject: "Zalogować się w {{realm}}?",
      body: "Zatwierdź tylko wtedy, gdy to Ty, {{user}}, logujesz się w tej chwili.",
    },
  },
  mails: {
    "otp-email": {
      subject: "Twój kod logowania do {{realm}}",
      heading: "Twój kod logowania",
      lead: "Wpisz ten kod, aby zalogować się w {{realm}}:",
      code: "{{code}}",
      notes: ["Czas ważności: {{ttl}}. Nigdy Cię o niego nie poprosimy.", "To nie Ty się logujesz? Po prostu zignoruj tę wiadomość."],
    },
    "magic-link-email": {
      subject: "Zaloguj się w {{realm}}",
      heading: "Zaloguj się jednym kliknięciem",
      lead: "Użyj tego przycisku, aby zalogować się w {{realm}}. Hasło nie jest potrzebne.",
      button: { label: "Zaloguj się", href: "{{link}}" },
      notes: [
        "Link działa raz. Czas ważności: {{ttl}}.",
        "To nie Ty o niego prosisz? Po prostu zignoruj tę wiadomość: bez linku nikt się nie zaloguje.",
      ],
    },
    "verify-email": {
      subject: "Potwierdź adres e-mail dla {{realm}}",
      heading: "Potwierdź adres e-mail",
      lead: "Potwierdź, że ten adres e-mail należy do Ciebie: wpisz kod na stronie, która o niego prosi, albo użyj przycisku.",
      code: "{{code}}",
      button: { label: "Potwierdź mój adres", href: "{{link}}" },
      notes: [
        "Czas ważności kodu i przycisku: {{ttl}}. Nikomu nie podawaj kodu.",
        "Nie znasz {{realm}}? Ktoś pomylił się w adresie i możesz zignorować tę wiadomość.",
      ],
    },
    "change-email": {
      subject: "Potwierdź nowy adres e-mail dla {{realm}}",
      heading: "Potwierdź nowy adres e-mail",
      lead: "Ktoś chce używać tego adresu e-mail na Twoim koncie w {{realm}}. Jeśli to Ty, użyj tego przycisku: od tej chwili będzie to Twój adres.",
      button: { label: "Potwierdź mój nowy adres", href: "{{link}}" },
      notes: ["Link działa raz. Czas ważności: {{ttl}}.", "To nie Ty? Zignoruj tę wiadomość: nic się nie zmieni."],
    },
    "email-change-notice": {
      subject: "Twój adres e-mail w {{realm}} ma zostać zmieniony",
      heading: "Twój adres e-mail ma zostać zmieniony",
      lead: "Ktoś zalogowany na Twoim koncie w {{realm}} chce zastąpić lub usunąć ten adres e-mail. Jeśli to Ty, nie musisz nic robić.",
      notes: ["To nie Ty? Zaloguj się i od razu zmień hasło: nowy adres, którego jeszcze nie potwierdzono, zostanie wtedy odrzucony."],
    },
    "reset-password-email": {
      subject: "Wybierz nowe hasło do {{realm}}",
      heading: "Wybierz nowe hasło",
      lead: "Ktoś prosi o nowe hasło do Twojego konta w {{realm}}. Jeśli to Ty, wpisz ten kod na stronie, która o niego prosi, albo użyj przycisku:",
      code: "{{code}}",
      button: { label: "Wybierz nowe hasło", href: "{{link}}" },
      notes: [
        "Kod i przycisk działają raz. Czas ważności: {{ttl}}. Nikomu nie podawaj kodu.",
        "To nie Ty? Zignoruj tę wiadomość: Twoje hasło pozostanie bez zmian.",
      ],
    },
    "account-actions-email": {
      subject: "Zaktualizuj swoje konto w {{realm}}",
      heading: "Zaktualizuj swoje konto",
      lead: "Administrator {{realm}} prosi Cię o zaktualizowanie konta: na przykład o wybranie hasła albo ustawienie drugiego kroku logowania. Ten przycisk Cię poprowadzi.",
      button: { label: "Zaktualizuj moje konto", href: "{{link}}" },
      notes: [
        "Link działa raz. Czas ważności: {{ttl}}. Jest tylko dla Ciebie: nie przekazuj go dalej.",
        "Nie spodziewasz się tej wiadomości? Zapytaj administratora, zanim przejdziesz dalej.",
      ],
    },
    "account-exists-email": {
      subject: "Masz już konto w {{realm}}",
      heading: "Masz już konto",
      lead: "Ktoś chciał utworzyć konto w {{realm}} z tym adresem e-mail, ale takie konto już istnieje. Jeśli to Ty, po prostu się zaloguj; tam możesz też wybrać nowe hasło.",
      button: { label: "Zaloguj się", href: "{{link}}" },
      notes: ["To nie Ty? Zignoruj tę wiadomość: nic się nie zmieniło."],
    },
    "invitation-email": {
      subject: "Zaproszenie do {{organization}}",
      heading: "Dołącz do {{organization}}",
      lead: "Zapraszamy Cię do {{organization}} w {{realm}}. Użyj tego przycisku, aby przyjąć zaproszenie; jeśli nie masz jeszcze konta, utworzysz je tam.",
      button: { label: "Przyjmij zaproszenie", href: "{{link}}" },
      notes: ["Link działa raz. Czas ważności: {{ttl}}.", "Jeśli nie spodziewasz się zaproszenia, możesz zignorować tę wiadomość."],
    },
    "new-device-email": {
      subject: "Nowe logowanie w {{realm}}",
      heading: "Logowanie na nowym urządzeniu",
      lead: "Twojego konta w {{realm}} użyto na urządzeniu, którego jeszcze nie znamy. Jeśli to Ty, nie musisz nic robić.",
      facts: [
        ["Przeglądarka", "{{browser}}"],
        ["Adres", "{{address}}"],
        ["Czas", "{{time}}"],
      ],
      button: { label: "Zobacz moje konto", href: "{{link}}" },
      notes: ["To nie Ty? Od razu zmień hasło i zakończ sesje, których nie rozpoznajesz."],
    },
    "agent-review-email": {
      subject: "Sprawdź agenta {{agent}} w {{realm}}",
      heading: "Czy {{agent}} jest jeszcze potrzebny?",
      lead: "Odpowiadasz za agenta {{agent}} w {{realm}}. Pora go sprawdzić: potwierdź, że jest nadal potrzebny i nie może więcej, niż potrzebuje, albo go zawieś.",
      button: { label: "Zobacz moje konto", href: "{{link}}" },
      notes: ["Agent nie jest już Twój? Powiedz o tym administratorowi {{realm}}."],
    },
  },
};
