/** Returns a time in the form of a field for date and time, in the time zone of this browser. */
export function localTime(date: Date): string {
  if (Number.isNaN(date.getTime())) return "";
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
