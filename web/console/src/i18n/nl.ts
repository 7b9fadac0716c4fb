/** Dutch. The keys are the English texts. */
export const nl: Readonly<Record<string, string>> = {};
