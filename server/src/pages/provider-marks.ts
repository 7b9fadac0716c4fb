/** A shape of a mark. Without a colour it has that of the text around it, in the light and the dark scheme. */
export interface Shape {
  readonly d: string;
  readonly fill?: string;
}

/** The mark of a provider without its own: a key. */
export const genericMark: readonly Shape[] = [
  {
    d: "M8 6a6 6 0 0 1 5.7 4H21a1 1 0 0 1 1 1v4a1 1 0 0 1-2 0v-3h-2v2a1 1 0 0 1-2 0v-2h-2.3A6 6 0 1 1 8 6Zm0 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8Zm0 2.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3Z",
  },
];
