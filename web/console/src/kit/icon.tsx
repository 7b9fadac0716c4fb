/** The icons of the console, each as the path of its strokes in a square of 24. */
const circle = (x: number, y: number, r: number) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
const box = (x: number, y: number, width: number, height: number, r = 2) =>
  `M${x + r} ${y}h${width - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${height - 2 * r}a${r} ${r} 0 0 1 ${-r} ${r}h${2 * r - width}a${r} ${r} 0 0 1 ${-r} ${-r}v${2 * r - height}a${r} ${r} 0 0 1 ${r} ${-r}`;
const SHIELD = "M12 3l8 3v5c0 5-3.4 8.6-8 10-4.6-1.4-8-5-8-10V6z";
const PERSON = `${circle(9, 8, 3.5)}M2.5 20`;

const paths = {
  activity: "M3 12h4l3 8 4-16 3 8h4",
  alert: `${circle(12, 12, 9)}M12 8v4.5M12 16h.01`,
  app: `${box(3, 4, 18, 16)}M3 9h18M6.5 6.5h.01M9.5 6.5h.01`,
  "arrow-down": "M12 5v14M6 13l6 6 6-6",
  "arrow-up": "M12 19V5M6 11l6-6 6 6",
  book: "M12 6c-2-1.4-5-1.9-9-1.5V19c4-.4 7 .1 9 1.5 2-1.4 5-1.9 9-1.5V4.5c-4-.4-7 .1-9 1.5zv14.5",
  building: "M4 21V5a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1v16M15 9h4a1 1 0 0 1 1 1v11M2.5 21h19M8 8h3M8 12h3M8 16h3",
  check: "M5 12.5l4.5 4.5L19 7.5",
  "chevron-down": "M6 9l6 6 6-6",
  "chevron-right": "M9 6l6 6-6 6",
  circle: circle(12, 12, 9),
  copy: `${box(8, 8, 12, 12)}M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2`,
  groups: `${circle(12, 10, 2.5)}M7 19.5a5 4.5 0 0 1 10 0${circle(5, 7, 2)}M2 14a3 3 0 0 1 3.5-2.9${circle(19, 7, 2)}M22 14a3 3 0 0 0-3.5-2.9`,
  home: "M3.5 11.5L12 4l8.5 7.5M6 9.5V20h12V9.5M10 20v-6h4v6",
  import: "M4 6a8 3 0 0 1 16 0a8 3 0 0 1-16 0v12c0 1.7 3.6 3 8 3M4 12c0 1.7 3.6 3 8 3M20 6v5M22 17h-6M19 14l-3 3 3 3",
  key: `${circle(8, 15.5, 4)}M11 12.5L20 3.5M16 7.5l3 3`,
  language: `${circle(12, 12, 9)}M3 12h18M12 3c3.5 5 3.5 13 0 18c-3.5-5-3.5-13 0-18`,
  laptop: `${box(5, 5, 14, 10, 1)}M2.5 19h19`,
  list: `${box(3, 4, 6, 6, 1)}${box(3, 14, 6, 6, 1)}M13 5h8M13 9h5M13 15h8M13 19h5`,
  lock: `${box(5, 11, 14, 9)}M8 11V8a4 4 0 0 1 8 0v3`,
  mail: `${box(3, 5, 18, 14)}M3 7.5l9 6 9-6`,
  moon: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z",
  palette:
    "M12 3a9 9 0 1 0 0 18c1.6 0 2-1.2 1.4-2.3-.8-1.5.2-3.2 1.9-3.2h2.2A3.5 3.5 0 0 0 21 12c0-5-4-9-9-9zM7.5 11.5h.01M10.5 7.5h.01M15.5 8h.01",
  pencil: "M4 20l1-4L16.5 4.5l3 3L8 19zM14 7l3 3",
  play: "M7 4.5v15l12-7.5z",
  plug: "M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4",
  plus: "M12 5v14M5 12h14",
  robot: `${box(5, 8, 14, 11)}M12 4v4M9.5 12.5v1M14.5 12.5v1M9.5 16h5M2.5 12v3M21.5 12v3`,
  route: `${circle(6, 19, 2)}${circle(18, 5, 2)}M8 19h7.5a3.5 3.5 0 0 0 0-7h-7a3.5 3.5 0 0 1 0-7H16`,
  search: `${circle(10.5, 10.5, 6.5)}M15.5 15.5L21 21`,
  selector: "M8 9l4-4 4 4M8 15l4 4 4-4",
  settings: `M4 7h9M17 7h3M4 17h3M11 17h9${circle(15, 7, 2)}${circle(9, 17, 2)}`,
  "shield-check": `${SHIELD}M9 12l2.2 2.2L15 10.4`,
  "shield-lock": `${SHIELD}${box(9, 11, 6, 5, 1)}M10 11V9.5a2 2 0 0 1 4 0V11`,
  "sign-out": "M14 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h6a2 2 0 0 0 2-2v-2M9 12h12M18 9l3 3-3 3",
  sun: `${circle(12, 12, 4)}M12 3v1M12 20v1M3 12h1M20 12h1M5.6 5.6l.7.7M17.7 17.7l.7.7M5.6 18.4l.7-.7M17.7 6.3l.7-.7`,
  terminal: `${box(3, 4, 18, 16)}M7 9l3 3-3 3M13 15h4`,
  transfer: "M20 10H4l5-5M4 14h16l-5 5",
  trash: "M4 7h16M10 11v6M14 11v6M6 7l1 12a1 1 0 0 0 1 1h8a1 1 0 0 0 1-1l1-12M9 7V4h6v3",
  upload: "M4 16v3a1 1 0 0 0 1 1h14a1 1 0 0 0 1-1v-3M12 16V4M7 9l5-5 5 5",
  user: `${circle(12, 8, 4)}M5 20.5a7 6.5 0 0 1 14 0`,
  "user-shield": `${PERSON}a6.5 6 0 0 1 8.5-5.5M17.5 12l4 1.5V16c0 2.6-1.6 4.3-4 5.2-2.4-.9-4-2.6-4-5.2v-2.5z`,
  users: `${PERSON}a6.5 6 0 0 1 13 0M16 4.7a3.5 3.5 0 0 1 0 6.6M18 14.6a6 6 0 0 1 3.5 5.4`,
  webhook: `${circle(12, 6, 2.5)}${circle(5.5, 17.5, 2.5)}${circle(18.5, 17.5, 2.5)}M10.8 8.2L6.8 15.3M8 17.5h8M13.2 8.2l4 7.1`,
  x: "M6 6l12 12M18 6L6 18",
} as const;

export type IconName = keyof typeof paths;

/** An icon. It is decoration: the text beside it, or the label of its button, has the meaning. */
export function Icon({ name, size = 16, stroke = 2 }: { name: IconName; size?: number; stroke?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={paths[name]} />
    </svg>
  );
}

/** The icon of an area, as the navigation shows it. */
export const AreaIcon = ({ name }: { name: IconName }) => <Icon name={name} size={18} stroke={1.6} />;
