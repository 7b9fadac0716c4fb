import { Accordion, Group, NumberInput, Select, Stack, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useLanguage, useText } from "../i18n/index.ts";
import type { Draft } from "../kit/schema.ts";
import type { SectionFields } from "../kit/schema-form.tsx";

/** The members of a time policy. */
export const TIME = [
  ...(["timeZone", "notBefore", "notOnOrAfter", "hour", "hourEnd", "minute", "minuteEnd"] as const),
  ...(["dayMonth", "dayMonthEnd", "month", "monthEnd", "year", "yearEnd"] as const),
];

type Range = "dayMonth" | "month" | "year" | "hour" | "minute";

/** The time zone of this browser, which administrators mean when they write a time. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Edits the times at which a policy matches, as people speak of them. */
export const TimeFields: SectionFields = (props) => <Times {...props} />;

function Times({ draft, readOnly, errorOf, onChange }: Parameters<SectionFields>[0]) {
  const t = useText();
  const language = useLanguage();
  const numberAt = (name: string) => (typeof draft[name] === "number" ? draft[name] : undefined);
  const set = (changed: Draft) => onChange({ ...draft, ...changed });
  /** Sets a range. The end of one without a beginning goes, too. */
  const range = (name: Range, from: number | undefined, to: number | undefined) =>
    set({ [name]: from, [`${name}End`]: from === undefined ? undefined : to });
  const numbers = (name: Range, from: string, to: string, least: number, greatest: number) => (
    <Row>
      <NumberInput
        label={t(from)}
        value={numberAt(name) ?? ""}
        min={least}
        max={greatest}
        error={errorOf(name)}
        disabled={readOnly}
        onChange={(next) => range(name, next === "" ? undefined : Number(next), numberAt(`${name}End`))}
      />
      <NumberInput
        label={t(to)}
        value={numberAt(`${name}End`) ?? ""}
        min={least}
        max={greatest}
        placeholder={String(numberAt(name) ?? "")}
        error={errorOf(`${name}End`)}
        disabled={readOnly || numberAt(name) === undefined}
        onChange={(next) => range(name, numberAt(name), next === "" ? undefined : Number(next))}
      />
    </Row>
  );
  const choice = (
    name: Range,
    label: string,
    options: readonly Option[],
    chosen: number | undefined,
    choose: (next: number | undefined) => void,
  ) => (
    <Select
      label={t(label)}
      data={[...options]}
      value={chosen === undefined ? null : String(chosen)}
      error={errorOf(name)}
      disabled={readOnly || (label.startsWith("To") && numberAt(name) === undefined)}
      clearable
      searchable
      nothingFoundMessage={t("Nothing matches")}
      onChange={(next) => choose(next === null ? undefined : Number(next))}
    />
  );
  const hour = numberAt("hour");
  const lastHour = numberAt("hourEnd") ?? hour;
  const months = MONTHS.map((month) => ({
    value: String(month),
    label: new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" }).format(Date.UTC(2000, month - 1)),
  }));
  const month = numberAt("month");
  const time = (name: "notBefore" | "notOnOrAfter", label: string) => (
    <TextInput
      type="datetime-local"
      label={t(label)}
      value={String(draft[name] ?? "").replace(" ", "T")}
      error={errorOf(name)}
      disabled={readOnly}
      onChange={(event) => set({ [name]: wallTime(event.currentTarget.value) })}
    />
  );
  const hasMore = ["year", "minute"].some((name) => draft[name] !== undefined);
  return (
    <Stack gap="sm">
      <Text size="sm">{t("The policy matches while everything below holds. Leave empty what does not matter.")}</Text>
      <Select
        label={t("Time zone")}
        data={zones(String(draft.timeZone ?? "UTC"))}
        value={String(draft.timeZone ?? "UTC")}
        error={errorOf("timeZone")}
        disabled={readOnly}
        searchable
        allowDeselect={false}
        nothingFoundMessage={t("Nothing matches")}
        onChange={(timeZone) => timeZone !== null && set({ timeZone })}
      />
      <Row>
        {time("notBefore", "From")}
        {time("notOnOrAfter", "Until")}
      </Row>
      <Row>
        {choice("hour", "From the hour", HOURS, hour, (from) => range("hour", from, numberAt("hourEnd")))}
        {choice("hour", "To the hour", ENDS, lastHour === undefined ? undefined : lastHour + 1, (to) =>
          range("hour", hour, to === undefined ? undefined : to - 1),
        )}
      </Row>
      {numbers("dayMonth", "From the day of the month", "To the day of the month", 1, 31)}
      <Row>
        {choice("month", "From the month", months, month, (from) => range("month", from, numberAt("monthEnd")))}
        {choice("month", "To the month", months, numberAt("monthEnd") ?? month, (to) => range("month", month, to))}
      </Row>
      <Accordion variant="separated" defaultValue={hasMore ? "more" : null}>
        <Accordion.Item value="more">
          <Accordion.Control>{t("Years, and minutes of each hour")}</Accordion.Control>
          <Accordion.Panel>
            <Stack gap="sm">
              {numbers("year", "From the year", "To the year", 1970, 9999)}
              {numbers("minute", "From the minute of each hour", "To the minute, which is included", 0, 59)}
            </Stack>
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </Stack>
  );
}

const Row = ({ children }: { children: ReactNode }) => (
  <Group grow align="flex-start">
    {children}
  </Group>
);

interface Option {
  readonly value: string;
  readonly label: string;
}

const MONTHS = Array.from({ length: 12 }, (_, place) => place + 1);
const clock = (hour: number): Option => ({ value: String(hour), label: `${String(hour).padStart(2, "0")}:00` });
const HOURS = Array.from({ length: 24 }, (_, hour) => clock(hour));
/** The API names the last hour that counts; people name the time at which it is over. */
const ENDS = Array.from({ length: 24 }, (_, hour) => clock(hour + 1));

/** Returns a time as the API writes it, or nothing if the field is empty. */
const wallTime = (local: string): string | undefined =>
  local === "" ? undefined : `${local.replace("T", " ")}${local.length === 16 ? ":00" : ""}`;

const zones = (chosen: string): string[] => [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone"), chosen])];
