import type { Texts } from "./defaults.texts.ts";

export const swedish: Texts = {
  lang: "sv",
  greeting: "Hej {{user}}!",
  plain: {
    "otp-sms": { subject: null, body: "{{code}} är din kod till {{realm}}. Den gäller i {{ttl}}. Ge den aldrig till någon annan." },
    "push-approval": { subject: "Logga in på {{realm}}?", body: "Godkänn bara om det är du, {{user}}, som loggar in just nu." },
  },
  mails: {
    "otp-email": {
      subject: "Din inloggningskod till {{realm}}",
      heading: "Din inloggningskod",
      lead: "Ange den här koden för att logga in på {{realm}}:",
      code: "{{code}}",
      notes: ["Den gäller i {{ttl}}. Vi ber dig aldrig om den.", "Försökte du inte logga in? Då kan du bara strunta i det här mejlet."],
    },
    "magic-link-email": {
      subject: "Logga in på {{realm}}",
      heading: "Logga in med ett klick",
      lead: "Logga in på {{realm}} med den här knappen. Inget lösenord behövs.",
      button: { label: "Logga in", href: "{{link}}" },
      notes: [
        "Länken fungerar en gång och gäller i {{ttl}}.",
        "Bad du inte om den? Då kan du bara strunta i det här mejlet: utan länken kommer ingen in.",
      ],
    },
    "verify-email": {
      subject: "Bekräfta din e-postadress för {{realm}}",
      heading: "Bekräfta din e-postadress",
      lead: "Bekräfta att den här e-postadressen är din: ange koden på sidan som ber om den, eller använd knappen.",
      code: "{{code}}",
      button: { label: "Bekräfta min adress", href: "{{link}}" },
      notes: [
        "Båda gäller i {{ttl}}. Ge aldrig koden till någon annan.",
        "Känner du inte till {{realm}}? Då har någon skrivit fel adress, och du kan strunta i det här mejlet.",
      ],
    },
    "change-email": {
      subject: "Bekräfta din nya e-postadress för {{realm}}",
      heading: "Bekräfta din nya e-postadress",
      lead: "Någon vill använda den här e-postadressen för ditt konto på {{realm}}. Om det var du, använd den här knappen: från och med då är det din adress.",
      button: { label: "Bekräfta min nya adress", href: "{{link}}" },
      notes: ["Länken fungerar en gång och gäller i {{ttl}}.", "Var det inte du? Strunta då i det här mejlet: ingenting ändras."],
    },
    "email-change-notice": {
      subject: "Din e-postadress på {{realm}} är på väg att ändras",
      heading: "Din e-postadress är på väg att ändras",
      lead: "Någon som är inloggad på ditt konto på {{realm}} vill byta ut eller ta bort den här e-postadressen. Om det var du behöver du inte göra något.",
      notes: ["Var det inte du? Logga då in och byt lösenord nu: en ny adress som ännu inte är bekräftad avvisas då."],
    },
    "reset-password-email": {
      subject: "Välj ett nytt lösenord för {{realm}}",
      heading: "Välj ett nytt lösenord",
      lead: "Någon bad om ett nytt lösenord för ditt konto på {{realm}}. Om det var du, ange koden på sidan som ber om den, eller använd knappen:",
      code: "{{code}}",
      button: { label: "Välj ett nytt lösenord", href: "{{link}}" },
      notes: [
        "Båda fungerar en gång och gäller i {{ttl}}. Ge aldrig koden till någon annan.",
        "Var det inte du? Strunta då i det här mejlet: ditt lösenord förblir som det är.",
      ],
    },
    "account-actions-email": {
      subject: "Uppdatera ditt konto på {{realm}}",
      heading: "Uppdatera ditt konto",
      lead: "En administratör för {{realm}} ber dig uppdatera ditt konto: till exempel välja ett lösenord eller ställa in ett andra steg vid inloggningen. Den här knappen visar vägen.",
      button: { label: "Uppdatera mitt konto", href: "{{link}}" },
      notes: [
        "Länken fungerar en gång och gäller i {{ttl}}. Den är bara för dig: skicka den inte vidare.",
        "Väntade du dig inte det här mejlet? Fråga administratören innan du går vidare.",
      ],
    },
    "account-exists-email": {
      subject: "Du har redan ett konto på {{realm}}",
      heading: "Du har redan ett konto",
      lead: "Någon ville skapa ett konto på {{realm}} med den här e-postadressen, men det finns redan ett. Om det var du kan du bara logga in; där kan du också välja ett nytt lösenord.",
      button: { label: "Logga in", href: "{{link}}" },
      notes: ["Var det inte du? Strunta då i det här mejlet: ingenting har ändrats."],
    },
    "invitation-email": {
      subject: "Du är inbjuden till {{organization}}",
      heading: "Gå med i {{organization}}",
      lead: "Du är inbjuden till {{organization}} på {{realm}}. Tacka ja med den här knappen; om du inte har något konto än skapar du det där.",
      button: { label: "Tacka ja till inbjudan", href: "{{link}}" },
      notes: ["Länken fungerar en gång och gäller i {{ttl}}.", "Om du inte väntade dig den kan du strunta i det här mejlet."],
    },
    "new-device-email": {
      subject: "Ny inloggning på {{realm}}",
      heading: "Inloggning på en ny enhet",
      lead: "Ditt konto på {{realm}} användes på en enhet som vi inte har sett förut. Om det var du behöver du inte göra något.",
      facts: [
        ["Webbläsare", "{{browser}}"],
        ["Adress", "{{address}}"],
        ["Tid", "{{time}}"],
      ],
      button: { label: "Titta på mitt konto", href: "{{link}}" },
      notes: ["Var det inte du? Byt då lösenord nu, och avsluta de sessioner som du inte känner igen."],
    },
    "agent-review-email": {
      subject: "Granska agenten {{agent}} på {{realm}}",
      heading: "Behövs {{agent}} fortfarande?",
      lead: "Du ansvarar för agenten {{agent}} på {{realm}}. Det är dags att granska den: bekräfta att den fortfarande behövs och inte får göra mer än den behöver, eller stäng av den tills vidare.",
      button: { label: "Titta på mitt konto", href: "{{link}}" },
      notes: ["Är agenten inte längre din? Säg då till en administratör för {{realm}}."],
    },
  },
};
