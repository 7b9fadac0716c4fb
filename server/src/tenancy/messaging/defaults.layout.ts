import { dirOf } from "../../pages/index.ts";

/** The texts of a default mail. */
export interface MailText {
  readonly subject: string;
  readonly heading: string;
  /** The instruction before the code or the button. */
  readonly lead: string;
  /** A code, shown in large type for reading and typing. */
  readonly code?: string;
  readonly button?: { readonly label: string; readonly href: string };
  /** Facts with a label, one line each. */
  readonly facts?: readonly (readonly [label: string, value: string])[];
  /** Notes, one paragraph each. */
  readonly notes: readonly string[];
}

const BASE = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Returns a mail with one column in the realm's brand, without layout tables. It is readable by a screen reader, on a telephone, and in dark mode. */
export const htmlOf = ({ heading, lead, code, facts, button, notes }: MailText, lang: string, greeting: string): string => `<!doctype html>
<html lang="${lang}" dir="${dirOf(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${heading}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #16181d !important; color: #e9ebf0 !important; }
  .card { background: #20232a !important; border-color: #3a3f4a !important; }
  .code { background: #2b2f38 !important; color: #ffffff !important; }
  .facts { border-color: #3a3f4a !important; }
  .bar { background: {{brandDarkColor}} !important; }
  .button { background: {{brandDarkColor}} !important; color: {{brandDarkText}} !important; }
  .plate { padding: 6px 10px !important; background: #ffffff !important; border-radius: 8px !important; }
  .light-only { display: none !important; }
  .dark-only { display: block !important; }
  .quiet { color: #b4bac6 !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:24px 12px;background:#f4f5f7;color:#1d2129;${BASE};font-size:16px;line-height:1.5">
<div class="card" role="article" aria-label="${heading}" style="max-width:480px;margin:0 auto;padding:28px;background:#ffffff;border:1px solid #dcdfe5;border-radius:12px">
<div class="bar" style="width:40px;height:4px;margin:0 0 20px;border-radius:2px;background:{{brandColor}}"></div>
<div style="margin:0 0 20px">{{brand}}</div>
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${heading}</h1>
<p style="margin:0 0 16px">${greeting}</p>
<p style="margin:0 0 20px">${lead}</p>
${code === undefined ? "" : codeBlock(code)}${facts === undefined ? "" : factsBlock(facts)}${button === undefined ? "" : buttonBlock(button)}${notes.map(note).join("\n")}
<p class="quiet" style="margin:20px 0 0;color:#565d6b;font-size:13px">{{realm}}</p>
</div>
</body>
</html>
`;

const codeBlock = (code: string) =>
  `<p class="code" style="margin:0 0 20px;padding:14px;background:#eef0f4;border-radius:8px;text-align:center;font-size:30px;font-weight:600;letter-spacing:6px">${code}</p>\n`;

const factsBlock = (facts: NonNullable<MailText["facts"]>) =>
  `<p class="facts" style="margin:0 0 20px;padding:14px 16px;border:1px solid #dcdfe5;border-radius:8px">${facts
    .map(
      ([label, value]) =>
        `<span class="quiet" style="color:#565d6b;font-size:14px">${label}</span><br><strong><bdi>${value}</bdi></strong>`,
    )
    .join("<br>\n")}</p>\n`;

const buttonBlock = ({ label, href }: { label: string; href: string }) =>
  `<p style="margin:0 0 20px"><a class="button" href="${href}" style="display:inline-block;padding:12px 22px;background:{{brandColor}};color:{{brandText}};border-radius:8px;font-weight:600;text-decoration:none">${label}</a></p>\n`;

const note = (text: string) => `<p class="quiet" style="margin:0 0 12px;color:#565d6b;font-size:14px">${text}</p>`;

export const textOf = ({ lead, code, facts, button, notes }: MailText, greeting: string, colon: string): string =>
  [
    greeting,
    lead,
    code,
    facts?.map(([label, value]) => `${label}${colon} ${value}`).join("\n"),
    button && `${button.label}${colon}\n${button.href}`,
    ...notes,
    "-- \n{{realm}}",
  ]
    .filter(Boolean)
    .join("\n\n");
