import { describe, type SettingName } from "./settings.ts";

const HIDDEN = "***";
/** The hosts of a Postgres URL that names more than one. */
const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@,]+(?:,[^/?#@,]+)+)([/?].*)?$/i;
const ONE = "several-hosts.invalid";
const SECRET_PARAMETER = /pass|secret|token|key|auth|sig/i;

/** A setting's value as it may be shown to anyone. The host of a secret URL stays visible, because administrators need to see it. */
export function redact(name: SettingName, value: unknown): unknown {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return describe(name).secret ? value.map(() => HIDDEN) : value;
  const text = String(value);
  if (describe(name).secret && !describe(name).kind.isUrl) return HIDDEN;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return redactUrl(text);
  return text;
}

/** Without the password, and without parameters that look like one. A value that cannot be parsed is hidden whole. */
export function redactUrl(text: string): string {
  const several = HOSTS.exec(text);
  // Several hosts are no URL to `URL`: they are put back where a single one stood.
  if (several) {
    const [, before = "", hosts = "", after = ""] = several;
    return redactUrl(`${before}${ONE}${after}`).replace(ONE, hosts);
  }
  if (!URL.canParse(text)) return HIDDEN;
  const url = new URL(text);
  // A password with an unescaped # or / in it ends up here, misread as what follows the host.
  if (/[@#]/.test(url.pathname + url.search + url.hash)) return HIDDEN;
  const hidden = [...url.searchParams.keys()].filter((name) => SECRET_PARAMETER.test(name));
  // Unchanged, where there is nothing to hide: taking a URL apart and together may add a slash.
  if (!url.password && hidden.length === 0) return text;
  if (url.password) url.password = HIDDEN;
  for (const name of hidden) url.searchParams.set(name, HIDDEN);
  return url.href;
}
