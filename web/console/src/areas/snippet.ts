/** One piece of code to copy. */
export interface Snippet {
  readonly title: string;
  readonly text: string;
}

/** The values of a client that its snippets show. */
export interface Values {
  readonly clientId: string;
  readonly issuer: string;
  readonly callback: string;
}
