import { Fragment } from "preact";

// Characters that reorder the text around them. <bdi> isolates the direction of a text, but these characters can end that isolation.
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Returns a value without these characters, so that it cannot rearrange our own words. */
export const withoutBidiControls = (value: string): string => value.replace(BIDI_CONTROLS, "");

/** A name chosen by others, isolated from the direction of the sentence around it. */
export const Isolated = ({ text, class: className }: { text: string; class?: string }) => (
  <bdi class={className}>{withoutBidiControls(text)}</bdi>
);

type Values = Readonly<Record<string, string>>;

const pieces = (template: string): string[] => template.split(/(\{[a-z]+\})/);
const valueFor = (piece: string, values: Values): string | undefined =>
  piece.startsWith("{") && piece.endsWith("}") ? values[piece.slice(1, -1)] : undefined;

/** A message with its values, each isolated. */
export const Filled = ({ template, values, class: className }: { template: string; values: Values; class?: string }) => (
  <Fragment>
    {pieces(template).map((piece) => {
      const value = valueFor(piece, values);
      if (value === undefined) return piece;
      return className === undefined ? <Isolated text={value} /> : <Isolated text={value} class={className} />;
    })}
  </Fragment>
);

// Plain ASCII needs no isolation, and a title without invisible characters can be searched and copied.
const isolated = (value: string): string => (/^[ -~]*$/.test(value) ? value : `\u2068${value}\u2069`);

/** Does the same with Unicode characters, for places that take only text, such as the title of a page. */
export const filledText = (template: string, values: Values): string =>
  pieces(template)
    .map((piece) => {
      const value = valueFor(piece, values);
      return value === undefined ? piece : isolated(withoutBidiControls(value));
    })
    .join("");
