/** The icons, as lines on a field of 24 by 24, in the colour of the text beside them. */
const ICONS = {
  overview: "M4 11.5 12 5l8 6.5M6 10v9h4.5v-5h3v5H18v-9",
  profile: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20a7.5 7.5 0 0 1 15 0",
  security: "M12 3.5 5 6v5.5c0 4.2 2.9 7.3 7 9 4.1-1.7 7-4.8 7-9V6l-7-2.5ZM9 12l2.2 2.2L15.2 10",
  sessions: "M4 5.5h16v10H4v-10ZM2.5 19h19",
  applications: "M4.5 4.5h6v6h-6v-6ZM13.5 4.5h6v6h-6v-6ZM4.5 13.5h6v6h-6v-6ZM13.5 13.5h6v6h-6v-6Z",
  links: "M10 14a4 4 0 0 0 5.7 0l3-3A4 4 0 0 0 13 5.3l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  organizations: "M4 20V5h9v15M13 9h7v11M2.5 20h19M7 8.5h3M7 12h3M7 15.500h3M16 12.500h1.500M16 16h1.500",
  activity: "M3 12h4l3-7 4 14 3-7h4",
  data: "M12 4v11M7.500 11 12 15.500 16.500 11M4.500 19.500h15",
  preferences:
    "M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17ZM3.500 12h17M12 3.500c2.500 2.300 3.500 5.200 3.500 8.500s-1 6.200-3.500 8.500c-2.500-2.300-3.500-5.200-3.500-8.500s1-6.200 3.500-8.500Z",
  key: "M8 12.500a3.750 3.750 0 1 1 3.500-5.100H20.500l1 1.500-1.500 1.600h-1.500l-1.500-1.300-1.500 1.300h-3.500A3.750 3.750 0 0 1 8 12.500ZM7.500 8.750h.010M5 17.500h14",
  phone: "M7.500 3h9v18h-9V3ZM11 18h2",
  codes: "M5 4h14v16H5V4ZM8.500 8.500h7M8.500 12h7M8.500 15.500h4",
  password: "M6 11h12v9H6v-9ZM8.500 11V8a3.500 3.500 0 0 1 7 0v3M12 14.500v2",
} as const;

export type IconName = keyof typeof ICONS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="gh-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" aria-hidden="true" focusable="false">
    <path d={ICONS[name]} stroke-linecap="round" stroke-linejoin="round" />
  </svg>
);
