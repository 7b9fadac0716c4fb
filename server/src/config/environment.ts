/** Reads a variable for a value that a file names (`${env:NAME}`). Returns undefined if the environment has none. */
export const readVariable = (name: string): string | undefined => process.env[name];
