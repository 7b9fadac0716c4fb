/** A colour. The arithmetic follows WCAG 2.2, so that text on every brand colour, and links in it, stay readable. */
export type Rgb = readonly [red: number, green: number, blue: number];

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

/** Parses `#rgb` and `#rrggbb`. Every other form of CSS is refused, so that a value can contain nothing but a colour. */
export function parseColor(value: string | null | undefined): Rgb | null {
  if (!value || !HEX.test(value)) return null;
  const digits = value.length === 4 ? [...value.slice(1)].map((d) => d + d).join("") : value.slice(1);
  const at = (i: number) => Number.parseInt(digits.slice(i, i + 2), 16);
  return [at(0), at(2), at(4)];
}

export const toHex = (color: Rgb): string => `#${color.map((c) => Math.round(c).toString(16).padStart(2, "0")).join("")}`;

export const WHITE: Rgb = [255, 255, 255];
export const BLACK: Rgb = [0, 0, 0];

// WCAG 2.2, "relative luminance".
function luminance([red, green, blue]: Rgb): number {
  const linear = (c: number) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

// WCAG 2.2, "contrast ratio": 1 to 21.
export function contrast(a: Rgb, b: Rgb): number {
  const [la, lb] = [luminance(a), luminance(b)];
  return (Math.max(la, lb) + 0.05) / (Math.min(la, lb) + 0.05);
}

/** Mixes two colours: `share` is the part of `a`. */
export const mix = (a: Rgb, b: Rgb, share: number): Rgb => [
  Math.round(a[0] * share + b[0] * (1 - share)),
  Math.round(a[1] * share + b[1] * (1 - share)),
  Math.round(a[2] * share + b[2] * (1 - share)),
];

type Hsl = readonly [hue: number, saturation: number, lightness: number];

function toHsl([red, green, blue]: Rgb): Hsl {
  const [r, g, b] = [red / 255, green / 255, blue / 255];
  const max = Math.max(r, g, b);
  const spread = max - Math.min(r, g, b);
  const lightness = max - spread / 2;
  if (spread === 0) return [0, 0, lightness];
  const sector = max === r ? (g - b) / spread + 6 : max === g ? (b - r) / spread + 2 : (r - g) / spread + 4;
  return [(sector * 60) % 360, spread / (1 - Math.abs(2 * lightness - 1)), lightness];
}

function fromHsl([hue, saturation, lightness]: Hsl): Rgb {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (lightness - amplitude * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** Tells whether the colour has hardly any hue: grey, black, white. */
export const isGrey = (color: Rgb): boolean => Math.max(...color) - Math.min(...color) < 16;

/** Returns a tone of the colour's hue with this lightness and at most this saturation. Greys stay grey. */
export function toneOf(color: Rgb, saturation: number, lightness: number): Rgb {
  const [hue, own] = toHsl(color);
  return fromHsl([hue, isGrey(color) ? 0 : Math.min(own, saturation), lightness]);
}

/** Returns the same hue and lightness with another saturation. */
export function saturate(color: Rgb, factor: number): Rgb {
  const [hue, saturation, lightness] = toHsl(color);
  return isGrey(color) ? color : fromHsl([hue, Math.min(1, saturation * factor), lightness]);
}

/**
 * Returns the shade of `color` nearest to it, away from `surface`, that has the contrast `ratio`. Hue and saturation stay, so it remains the brand's colour.
 */
export function shadeOn(surface: Rgb, color: Rgb, ratio: number): Rgb {
  const towards = luminance(surface) > 0.18 ? -1 : 1;
  const [hue, saturation, start] = toHsl(color);
  for (let lightness = start, shade = color; ; ) {
    if (contrast(shade, surface) >= ratio) return shade;
    lightness += towards * 0.005;
    if (lightness < 0 || lightness > 1) return towards < 0 ? BLACK : WHITE;
    shade = fromHsl([hue, saturation, lightness]);
  }
}

const INK: Rgb = [16, 19, 26];

/** Returns the text colour for a filled surface. White or pure black always reaches 4.5:1; a softer black is used if it does so as well. */
export function textOn(surface: Rgb): Rgb {
  if (contrast(WHITE, surface) >= 4.5) return WHITE;
  return contrast(INK, surface) >= 4.5 ? INK : BLACK;
}
