/** Texts of ways on from a page, in each language. */
export const enOnward = {
  mailboxOpen: "Open the mailbox of this development server",
  mailboxTitle: "Mailbox",
  mailboxText: "This development server sends no email. It keeps here what it would send.",
  mailboxEmpty: "No email yet. This page looks again by itself.",
  totpCopyKey: "Copy the key",
};

export const nlOnward = {
  mailboxOpen: "Open het postvak van deze ontwikkelserver",
  mailboxTitle: "Postvak",
  mailboxText: "Deze ontwikkelserver verstuurt geen e-mail. Hier staat wat hij zou versturen.",
  mailboxEmpty: "Nog geen e-mail. Deze pagina kijkt vanzelf opnieuw.",
  totpCopyKey: "Sleutel kopiëren",
};

export const deOnward = {
  mailboxOpen: "Postfach dieses Entwicklungsservers öffnen",
  mailboxTitle: "Postfach",
  mailboxText: "Dieser Entwicklungsserver verschickt keine E-Mails. Hier steht, was er verschicken würde.",
  mailboxEmpty: "Noch keine E-Mail. Diese Seite sieht von selbst wieder nach.",
  totpCopyKey: "Schlüssel kopieren",
};

export const frOnward = {
  mailboxOpen: "Ouvrir la boîte de ce serveur de développement",
  mailboxTitle: "Boîte aux lettres",
  mailboxText: "Ce serveur de développement n’envoie aucun e-mail. Il garde ici ce qu’il enverrait.",
  mailboxEmpty: "Pas encore d’e-mail. Cette page regarde de nouveau d’elle-même.",
  totpCopyKey: "Copier la clé",
};

export const esOnward = {
  mailboxOpen: "Abrir el buzón de este servidor de desarrollo",
  mailboxTitle: "Buzón",
  mailboxText: "Este servidor de desarrollo no envía correos. Aquí guarda lo que enviaría.",
  mailboxEmpty: "Todavía no hay correos. Esta página vuelve a mirar por sí sola.",
  totpCopyKey: "Copiar la clave",
};

export const itOnward = {
  mailboxOpen: "Apri la casella di questo server di sviluppo",
  mailboxTitle: "Casella di posta",
  mailboxText: "Questo server di sviluppo non invia email. Conserva qui quelle che invierebbe.",
  mailboxEmpty: "Ancora nessuna email. Questa pagina ricontrolla da sola.",
  totpCopyKey: "Copia la chiave",
};

export const ptOnward = {
  mailboxOpen: "Abrir a caixa de correio deste servidor de desenvolvimento",
  mailboxTitle: "Caixa de correio",
  mailboxText: "Este servidor de desenvolvimento não envia emails. Guarda aqui os que enviaria.",
  mailboxEmpty: "Ainda não há emails. Esta página volta a verificar sozinha.",
  totpCopyKey: "Copiar a chave",
};

export const plOnward = {
  mailboxOpen: "Otwórz skrzynkę tego serwera deweloperskiego",
  mailboxTitle: "Skrzynka pocztowa",
  mailboxText: "Ten serwer deweloperski nie wysyła e-maili. Tutaj są te, które by wysłał.",
  mailboxEmpty: "Nie ma jeszcze e-maili. Ta strona sama sprawdzi ponownie.",
  totpCopyKey: "Skopiuj klucz",
};

export const svOnward = {
  mailboxOpen: "Öppna den här utvecklingsserverns brevlåda",
  mailboxTitle: "Brevlåda",
  mailboxText: "Den här utvecklingsservern skickar ingen e-post. Här finns det som den skulle ha skickat.",
  mailboxEmpty: "Ingen e-post ännu. Sidan tittar efter igen av sig själv.",
  totpCopyKey: "Kopiera nyckeln",
};

export const jaOnward = {
  mailboxOpen: "この開発サーバーのメールボックスを開く",
  mailboxTitle: "メールボックス",
  mailboxText: "この開発サーバーはメールを送信しません。送信するはずのメールはここに保存されます。",
  mailboxEmpty: "メールはまだありません。このページは自動的に再確認します。",
  totpCopyKey: "キーをコピー",
};

export const arOnward = {
  mailboxOpen: "افتح صندوق بريد خادم التطوير هذا",
  mailboxTitle: "صندوق البريد",
  mailboxText: "لا يرسل خادم التطوير هذا أي رسائل. يحتفظ هنا بما كان سيرسله.",
  mailboxEmpty: "لا توجد رسائل بعد. ستتحقق هذه الصفحة مجددًا من تلقاء نفسها.",
  totpCopyKey: "انسخ المفتاح",
};
