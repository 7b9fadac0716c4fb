import { describe, type SettingName } from "./settings.ts";

const HIDDEN = "***";
/** The hosts of a Postgres URL that names more than one. */
const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@,]+(?:,[^/?#@,]+)+)([/?].*)?$/i;
const ONE = "several-hosts.invalid";
const SECRET_PARAMETER = /pass|secret|token|key|auth|sig/i;

/** Returns a setting's value as it may be shown to anyone. The host of a secret URL stays visible, because administrators need to see it. */
export function redact(name: SettingName, value: unknown): unknown {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return describe(name).secret ? value.map(() => HIDDEN) : value;
  const text = String(value);
  if (describe(name).secret && !describe(name).kind.isUrl) return HIDDEN;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return redactUrl(text);
  return text;
}

/** Hides the password, and parameters that look like secrets. A value that cannot be parsed is hidden completely. */
export function redactUrl(text: string): string {
  const several = HOSTS.exec(text);
  // `URL` does not parse several hosts. A single one takes their place, and they are put back afterwards.
  if (several) {
    const [, before = "", hosts = "", after = ""] = several;
    return redactUrl(`${before}${ONE}${after}`).replace(ONE, hosts);
  }
  if (!URL.canParse(text)) return HIDDEN;
  const url = new URL(text);
  // A password with an unescaped # or / is misread as what follows the host.
  if (/[@#]/.test(url.pathname + url.search + url.hash)) return HIDDEN;
  const hidden = [...url.searchParams.keys()].filter((name) => SECRET_PARAMETER.test(name));
  // A URL without secrets stays unchanged: taking it apart and putting it together may add a slash.
  if (!url.password && hidden.length === 0) return text;
  if (url.password) url.password = HIDDEN;
  for (const name of hidden) url.searchParams.set(name, HIDDEN);
  return url.href;
}
