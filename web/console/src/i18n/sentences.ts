type Texts = Readonly<Record<string, string>>;

interface Pattern {
  /** The parts between the values. */
  readonly parts: readonly string[];
  readonly names: readonly string[];
  readonly length: number;
  readonly text: string;
}

const SLOT = /\{([A-Za-z_]\w*)\}/g;

function patternOf([key, text]: readonly [string, string]): Pattern {
  const parts = key.replace(SLOT, "\0").split("\0");
  return { parts, names: [...key.matchAll(SLOT)].map(([, name]) => name ?? ""), length: parts.join("").length, text };
}

/** Returns the values of a sentence that has the parts of a pattern, in their order. */
function valuesIn(sentence: string, { parts }: Pattern): readonly string[] | null {
  const last = parts.length - 1;
  if (!sentence.startsWith(parts[0]!) || !sentence.endsWith(parts[last]!)) return null;
  const end = sentence.length - parts[last]!.length;
  const values: string[] = [];
  let at = parts[0]!.length;
  for (let index = 1; index <= last; index += 1) {
    const next = index === last ? end : sentence.indexOf(parts[index]!, at);
    if (next < at || next > end) return null;
    values.push(sentence.slice(at, next));
    at = next + parts[index]!.length;
  }
  return values;
}

/** The member that a message begins with, as in "clients.0.name must not be empty". */
const MEMBER = /^([\w.-]+)(:? )(.+)$/s;

/** Returns a function that translates a sentence of the server, or returns null if it knows none like it. A value can be such a sentence itself. */
export function translator(texts: Texts): (sentence: string) => string | null {
  const patterns = Object.entries(texts)
    .filter(([key]) => key.search(SLOT) >= 0)
    .map(patternOf)
    .sort((one, other) => other.length - one.length);
  const filled = (sentence: string) => {
    for (const pattern of patterns) {
      const values = valuesIn(sentence, pattern);
      if (!values) continue;
      const byName = Object.fromEntries(pattern.names.map((name, index) => [name, values[index] ?? ""]));
      const text = pattern.text.replace(SLOT, (whole, name: string) => {
        const value = byName[name];
        return value === undefined ? whole : (translate(value) ?? value);
      });
      return { text, length: pattern.length };
    }
    return null;
  };
  const translate = (sentence: string): string | null => {
    if (sentence.trim() === "") return null;
    if (Object.hasOwn(texts, sentence)) return texts[sentence]!;
    const [, member, between, rest] = MEMBER.exec(sentence) ?? [];
    const whole = filled(sentence);
    if (rest !== undefined) {
      if (Object.hasOwn(texts, rest)) return `${member}${between}${texts[rest]}`;
      const part = filled(rest);
      if (part && part.length >= (whole?.length ?? 0)) return `${member}${between}${part.text}`;
    }
    if (whole) return whole.text;
    const list = sentence.split("; ");
    const known = list.length > 1 ? list.map(translate) : [];
    if (known.some((each) => each !== null)) return known.map((each, index) => each ?? list[index]).join("; ");
    const inner = rest === undefined ? null : translate(rest);
    return inner === null ? null : `${member}${between}${inner}`;
  };
  return translate;
}
