import { describe, expect, test } from "vitest";
import { contrast, parseColor, type Rgb, shadeOn, textOn, toHex } from "./color.ts";
import { type Palette, palettesOf } from "./palette.ts";

const ratio = (palette: Palette, a: keyof Palette, b: keyof Palette): number => contrast(parseColor(palette[a])!, parseColor(palette[b])!);

const BRANDS = [
  "#fff",
  "#000",
  "#ff0",
  "#777",
  "#0f766e",
  "#e11d48",
  "#00f",
  "#0f0",
  "#0ff",
  "#f0f",
  "#767676",
  "#757575",
  "#fefefe",
  "#010101",
  "#3e49c3",
  "#ffb000",
];

describe.each(BRANDS)("with the brand colour %s", (primaryColor) => {
  test.each(["light", "dark"] as const)("everything is readable in the %s scheme (WCAG 2.2 AA)", (scheme) => {
    const palette = palettesOf({ primaryColor, backgroundColor: null })[scheme];
    // 1.4.3: text
    const texts: [keyof Palette, keyof Palette][] = [
      ["text", "card"],
      ["muted", "card"],
      ["text", "field"],
      ["accent", "card"],
      ["button-text", "button"],
      ["button-text", "button-hover"],
      ["error", "error-surface"],
      ["notice", "notice-surface"],
    ];
    for (const [a, b] of texts) expect(ratio(palette, a, b), `${a} on ${b}`).toBeGreaterThanOrEqual(4.5);
    // 1.4.11: the edges of what can be used, and the focus ring
    const edges: [keyof Palette, keyof Palette][] = [
      ["field-line", "card"],
      ["field-line", "field"],
      ["button-line", "card"],
      ["error-line", "card"],
      ["accent", "field"],
    ];
    for (const [a, b] of edges) expect(ratio(palette, a, b), `${a} on ${b}`).toBeGreaterThanOrEqual(3);
  });
});

test("text on any filled colour reaches 4.5:1", () => {
  for (let r = 0; r < 256; r += 15)
    for (let g = 0; g < 256; g += 15)
      for (let b = 0; b < 256; b += 15) expect(contrast(textOn([r, g, b]), [r, g, b])).toBeGreaterThanOrEqual(4.5);
});

test("contrast is the one WCAG defines", () => {
  expect(contrast([255, 255, 255], [0, 0, 0])).toBeCloseTo(21, 5);
  expect(contrast(parseColor("#777777")!, [255, 255, 255])).toBeCloseTo(4.48, 2);
  expect(contrast(parseColor("#767676")!, [255, 255, 255])).toBeCloseTo(4.54, 2);
});

test("a colour that is readable already is left as the brand made it", () => {
  const teal: Rgb = [15, 118, 110];
  expect(shadeOn([255, 255, 255], teal, 4.5)).toEqual(teal);
  expect(palettesOf({ primaryColor: "#0f766e", backgroundColor: "#ecfdf5" }).light).toMatchObject({
    button: "#0f766e",
    accent: "#0f766e",
    page: "#ecfdf5",
  });
});

test("a shade keeps its hue", () => {
  const [r, g, b] = shadeOn([24, 27, 34], [15, 118, 110], 7.5);
  expect(Math.max(r, g, b)).toBe(g);
  expect(Math.min(r, g, b)).toBe(r);
});

test.each([
  ["#abc", "#aabbcc"],
  ["#ABCDEF", "#abcdef"],
])("reads %s", (value, hex) => {
  expect(toHex(parseColor(value)!)).toBe(hex);
});

test.each(["red", "#12", "#1234", "#12345678", "rgb(0,0,0)", "#fff;}", "#ggg", " #fff", "#fff\n", "var(--x)", "url(//x)", ""])(
  "ignores %j as a colour",
  (value) => {
    expect(parseColor(value)).toBeNull();
    expect(palettesOf({ primaryColor: value, backgroundColor: value })).toEqual(palettesOf({ primaryColor: null, backgroundColor: null }));
  },
);
