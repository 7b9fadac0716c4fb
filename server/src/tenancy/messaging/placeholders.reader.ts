import type { Part, Slot } from "./placeholders.ts";

/*
 * The position of a placeholder in the HTML decides what its value could do. This reader follows the tokenizer of the HTML standard
 * (§13.2.5) as far as needed: text, tags, attributes, comments, and the elements whose content is not markup.
 */
type State =
  | "text"
  | "tagOpen"
  | "endTagOpen"
  | "markup"
  | "comment"
  | "tagName"
  | "beforeAttribute"
  | "attributeName"
  | "afterAttributeName"
  | "beforeValue"
  | "doubleQuoted"
  | "singleQuoted"
  | "unquoted"
  | "raw";

interface Tag {
  readonly name: string;
  readonly isEnd: boolean;
  readonly href: readonly Part[];
}

interface Listener {
  text?(piece: Part): void;
  tag?(tag: Tag): void;
  slot?(slot: Slot, where: Where): void;
}

export interface Where {
  readonly state: State;
  readonly element: string;
  readonly attribute: string;
  /** The text before the placeholder in the attribute's value. */
  readonly before: readonly Part[];
  /** True if mail programs may parse the preceding HTML differently, so that apparent text could be a URL to them. */
  readonly isDoubtful: boolean;
}

const RAW = new Set(["script", "style", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext", "title", "textarea"]);
export const isSpace = (c: string) => c === " " || c === "\n" || c === "\t" || c === "\r" || c === "\f";
const isLetter = (c: string) => (c >= "a" && c <= "z") || (c >= "A" && c <= "Z");

export function readHtml(parts: readonly Part[], listener: Listener): void {
  let state: State = "text";
  let element = "";
  let isEnd = false;
  let attribute = "";
  let value: Part[] = [];
  let href: Part[] = [];
  let buffer = "";
  let isDoubtful = false;

  const endAttribute = () => {
    if (attribute === "href") href = value;
    attribute = "";
    value = [];
  };
  const endTag = () => {
    endAttribute();
    listener.tag?.({ name: element, isEnd, href });
    state = !isEnd && RAW.has(element) ? "raw" : "text";
    // HTML §13.2.5.26: the end of a script depends on comments and scripts inside it.
    if (element === "script") isDoubtful = true;
    href = [];
    buffer = "";
  };
  const startTag = (c: string, end: boolean) => {
    state = "tagName";
    element = c.toLowerCase();
    isEnd = end;
  };
  const addToValue = (c: string) => {
    // A program that did not see the attribute begin would see a tag begin here.
    if (c === "<") isDoubtful = true;
    const last = value.length - 1;
    if (typeof value[last] === "string") value[last] += c;
    else value.push(c);
  };

  const steps: Record<State, (c: string) => void> = {
    text(c) {
      if (c === "<") state = "tagOpen";
      else listener.text?.(c);
    },
    tagOpen(c) {
      if (isLetter(c)) startTag(c, false);
      else if (c === "/") state = "endTagOpen";
      else if (c === "!" || c === "?") {
        state = "markup";
        buffer = c;
      } else {
        listener.text?.("<");
        state = "text";
        steps.text(c);
      }
    },
    endTagOpen(c) {
      if (isLetter(c)) startTag(c, true);
      else if (c === ">") state = "text";
      else {
        state = "markup";
        buffer = "?";
      }
    },
    markup(c) {
      buffer = (buffer + c).slice(0, 3);
      if (buffer === "!--") {
        state = "comment";
        // `<!-->` and `<!--->` are complete comments, so the two dashes already count as the end.
        buffer = "--";
      } else if (c === ">") state = "text";
      // Inside SVG, `<![CDATA[` ends elsewhere.
      else if (buffer === "![C") isDoubtful = true;
    },
    comment(c) {
      if (c === ">" && (buffer.endsWith("--") || buffer.endsWith("--!"))) state = "text";
      buffer = (buffer + c).slice(-3);
    },
    tagName(c) {
      if (c === ">") endTag();
      else if (isSpace(c) || c === "/") state = "beforeAttribute";
      else element += c.toLowerCase();
    },
    beforeAttribute(c) {
      if (isSpace(c) || c === "/") return;
      endAttribute();
      if (c === ">") return endTag();
      state = "attributeName";
      attribute = c.toLowerCase();
    },
    attributeName(c) {
      if (c === ">") endTag();
      else if (c === "=") state = "beforeValue";
      else if (isSpace(c)) state = "afterAttributeName";
      else if (c === "/") state = "beforeAttribute";
      else attribute += c.toLowerCase();
    },
    afterAttributeName(c) {
      if (isSpace(c)) return;
      if (c === "=") state = "beforeValue";
      else {
        state = "beforeAttribute";
        steps.beforeAttribute(c);
      }
    },
    beforeValue(c) {
      if (isSpace(c)) return;
      if (c === '"') state = "doubleQuoted";
      else if (c === "'") state = "singleQuoted";
      else if (c === ">") endTag();
      else {
        state = "unquoted";
        addToValue(c);
      }
    },
    doubleQuoted(c) {
      if (c === '"') state = "beforeAttribute";
      else addToValue(c);
    },
    singleQuoted(c) {
      if (c === "'") state = "beforeAttribute";
      else addToValue(c);
    },
    unquoted(c) {
      if (c === ">") endTag();
      else if (isSpace(c)) state = "beforeAttribute";
      else addToValue(c);
    },
    raw(c) {
      const end = `</${element}`;
      if (buffer.toLowerCase() === end && (isSpace(c) || c === "/" || c === ">")) {
        isEnd = true;
        state = "tagName";
        steps.tagName(c);
      } else {
        // Inside SVG the content of these elements is markup.
        if (buffer.endsWith("<") && isLetter(c)) isDoubtful = true;
        buffer = (buffer + c).slice(-end.length);
      }
    },
  };

  for (const part of parts) {
    if (typeof part === "string") {
      for (const character of part) steps[state](character);
      continue;
    }
    listener.slot?.(part, { state, element, attribute, before: [...value], isDoubtful });
    if (state === "text") listener.text?.(part);
    else if (state === "doubleQuoted" || state === "singleQuoted") value.push(part);
  }
}
