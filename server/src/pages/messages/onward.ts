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
