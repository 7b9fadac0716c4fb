/** For values that a file names (`${env:NAME}`): undefined where the environment has none. */
export const readVariable = (name: string): string | undefined => process.env[name];
