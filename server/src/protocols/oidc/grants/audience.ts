/** Audiences that were decided one by one, where a client's configured ones must not be added. */
const exact = new WeakMap<object, readonly string[]>();

export const setExactAudience = (token: object, audience: readonly string[]): void => void exact.set(token, audience);

export const exactAudienceOf = (token: object): readonly string[] | null => exact.get(token) ?? null;
