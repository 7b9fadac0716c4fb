/** One shape of a mark. Without a colour it has that of the text around it, light or dark. */
interface Shape {
  readonly d: string;
  readonly fill?: string;
}

/** Simple marks of our own, by protocol, on a field of 24 by 24; they stand beside the name and say nothing alone. */
const marks: Readonly<Record<string, readonly Shape[]>> = {
  google: [
    { d: "M12 3a9 9 0 0 1 6.4 2.6l-2.8 2.7A5.1 5.1 0 0 0 12 7a5 5 0 0 0-4.7 3.2L4.1 7.7A9 9 0 0 1 12 3Z", fill: "#e5483a" },
    { d: "M4.1 7.7l3.2 2.5a5 5 0 0 0 0 3.6l-3.2 2.5a9 9 0 0 1 0-8.6Z", fill: "#f2b01e" },
    { d: "M4.1 16.3l3.2-2.5A5 5 0 0 0 12 17c1.1 0 2-.3 2.8-.8l3.1 2.4A9 9 0 0 1 4.1 16.3Z", fill: "#2fa455" },
    { d: "M12 10.4h8.8a9 9 0 0 1-2.9 8.2l-3.1-2.4a4.3 4.3 0 0 0 1.9-2.4H12Z", fill: "#3f7de8" },
  ],
  github: [
    {
      d: "M7 3a3 3 0 0 1 1 5.8V11a2 2 0 0 0 2 2h4a2 2 0 0 0 2-2V8.8a3 3 0 1 1 2 0V11a4 4 0 0 1-4 4h-1v.2a3 3 0 1 1-2 0V15h-1a4 4 0 0 1-4-4V8.8A3 3 0 0 1 7 3Z",
    },
  ],
  microsoft: [
    { d: "M3 3h8.4v8.4H3Z", fill: "#e8552f" },
    { d: "M12.6 3H21v8.4h-8.4Z", fill: "#7cb518" },
    { d: "M3 12.6h8.4V21H3Z", fill: "#1a8fe3" },
    { d: "M12.6 12.6H21V21h-8.4Z", fill: "#f2b01e" },
  ],
  apple: [
    {
      d: "M15.5 2c.1 2-1.6 4-3.5 4-.2-1.9 1.6-3.9 3.5-4ZM12 7.4c1-.6 2.2-1.1 3.5-1 1.6.1 3 .9 3.8 2.2-3.2 2-2.6 6.2.5 7.5-.7 2-2.4 5-4.3 5-1.3 0-1.9-.8-3.5-.8s-2.3.8-3.5.8c-2.6 0-5.3-5-5.3-8.8 0-3.4 2.2-5.8 5-5.8 1.4 0 2.7.6 3.8.9Z",
    },
  ],
  gitlab: [
    { d: "M12 21 2.5 13.8 5.5 4l3 6.5h7l3-6.5 3 9.8Z", fill: "#e8552f" },
    { d: "M12 21 8.5 10.5h7Z", fill: "#f2b01e" },
  ],
  linkedin: [
    { d: "M5 2.5h14A2.5 2.5 0 0 1 21.5 5v14a2.5 2.5 0 0 1-2.5 2.5H5A2.5 2.5 0 0 1 2.5 19V5A2.5 2.5 0 0 1 5 2.5Z", fill: "#1f6fbf" },
    {
      d: "M6 9.8h2.6V18H6Zm1.3-4.1a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3ZM10.3 9.8h2.5v1.1c.4-.7 1.3-1.3 2.6-1.3 2.1 0 3 1.3 3 3.5V18h-2.6v-4.4c0-1-.3-1.7-1.3-1.7-1.1 0-1.6.8-1.6 1.8V18h-2.6Z",
      fill: "#fff",
    },
  ],
  facebook: [
    { d: "M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20Z", fill: "#2a70e8" },
    {
      d: "M13.6 22v-7.5h2.4l.5-3h-2.9V9.7c0-.9.4-1.6 1.7-1.6h1.3V5.5c-.6-.1-1.3-.2-2-.2-2.5 0-3.9 1.5-3.9 4v2.2H8.1v3h2.6V22Z",
      fill: "#fff",
    },
  ],
};

/** A key, for all others. */
const generic: readonly Shape[] = [
  {
    d: "M8 6a6 6 0 0 1 5.7 4H21a1 1 0 0 1 1 1v4a1 1 0 0 1-2 0v-3h-2v2a1 1 0 0 1-2 0v-2h-2.3A6 6 0 1 1 8 6Zm0 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8Zm0 2.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3Z",
  },
];

export const markOf = (protocol: string): readonly Shape[] => (Object.hasOwn(marks, protocol) ? marks[protocol]! : generic);
