import type { Branding } from "./branding.ts";
import { BLACK, contrast, isGrey, mix, parseColor, type Rgb, saturate, shadeOn, textOn, toHex, toneOf, WHITE } from "./color.ts";

const DEFAULT_PRIMARY: Rgb = [62, 73, 195];
const DARK_CARD: Rgb = [24, 27, 34];

// Returns the colour of a filled surface under the pointer. It moves away from the colour of its text, so that contrast never becomes lower.
const hoverOf = (surface: Rgb): Rgb => mix(textOn(surface) === WHITE ? BLACK : WHITE, surface, 0.14);

/** Returns the colours of the light scheme. Each becomes a custom property `--gh-<name>` of the stylesheet. */
function light(primary: Rgb, background: Rgb | null) {
  const accent = shadeOn(WHITE, primary, 4.5);
  return {
    page: toHex(background ?? toneOf(primary, 0.5, 0.97)),
    glow: toHex(background ? mix(WHITE, background, contrast(background, WHITE) > 3 ? 0.08 : 0.5) : toneOf(primary, 0.7, 0.925)),
    card: "#ffffff",
    line: "#dfe3ea",
    text: "#14171f",
    muted: "#565e6e",
    field: "#ffffff",
    "field-line": "#858d9d",
    accent: toHex(accent),
    button: toHex(primary),
    "button-hover": toHex(hoverOf(primary)),
    // A button in a pale brand colour would hardly be visible on the card, so it gets a darker outline.
    "button-line": toHex(contrast(primary, WHITE) >= 3 ? primary : accent),
    "button-text": toHex(textOn(primary)),
    error: "#9b1c1c",
    "error-surface": "#fef3f2",
    "error-line": "#d92d20",
    notice: "#14532d",
    "notice-surface": "#effaf3",
    "notice-line": "#2f8f5b",
  };
}

export type Palette = ReturnType<typeof light>;

function dark(primary: Rgb, background: Rgb | null): Palette {
  // The accent is lighter than the minimum requires, because a bright colour on a dark card is easier to read than a dull one. Black brands become white.
  const accent = shadeOn(DARK_CARD, saturate(primary, 1.35), isGrey(primary) ? 13 : 7.5);
  // A background for the light scheme would dazzle here. Only one that is already dark is used.
  const isDark = background !== null && contrast(background, WHITE) >= 14;
  return {
    page: toHex(isDark ? background : toneOf(primary, 0.3, 0.05)),
    glow: toHex(isDark ? mix(WHITE, background, 0.06) : toneOf(primary, 0.5, 0.13)),
    card: toHex(DARK_CARD),
    line: "#343a47",
    text: "#f2f4f8",
    muted: "#a9b1c0",
    field: "#12141a",
    "field-line": "#737c8e",
    accent: toHex(accent),
    button: toHex(accent),
    "button-hover": toHex(hoverOf(accent)),
    "button-line": toHex(accent),
    "button-text": toHex(textOn(accent)),
    error: "#ffb4ab",
    "error-surface": "#3a1516",
    "error-line": "#f97066",
    notice: "#a6e9c3",
    "notice-surface": "#10291c",
    "notice-line": "#4fb37f",
  };
}

interface Palettes {
  readonly light: Palette;
  readonly dark: Palette;
}

// A branding is part of the realm's immutable snapshot: the same object always has the same colours.
const known = new WeakMap<object, Palettes>();

/** Returns both schemes of a realm. A colour that is not `#rgb` or `#rrggbb` counts as not set. */
export function palettesOf(branding: Pick<Branding, "primaryColor" | "backgroundColor">): Palettes {
  const made = known.get(branding) ?? makePalettes(branding);
  known.set(branding, made);
  return made;
}

function makePalettes(branding: Pick<Branding, "primaryColor" | "backgroundColor">): Palettes {
  const primary = parseColor(branding.primaryColor) ?? DEFAULT_PRIMARY;
  const background = parseColor(branding.backgroundColor);
  return { light: light(primary, background), dark: dark(primary, background) };
}
