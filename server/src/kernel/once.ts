/** Makes a value once for each object, and keeps it as long as the object exists. */
export function oncePer<K extends object, V extends object>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    const known = made.get(key);
    if (known) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
