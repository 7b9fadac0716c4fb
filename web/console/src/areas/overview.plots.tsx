import type { components } from "@gatehouse/api";
import { Card, Group, SegmentedControl, SimpleGrid, Stack, Title } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useRealm } from "../app/session.tsx";
import { useText } from "../i18n/index.ts";
import { Plot } from "../kit/plot.tsx";
import { Failure, Rows } from "../kit/states.tsx";

type Series = components["schemas"]["MetricsSeries"];

const HOUR = 3_600_000;
const SPANS = { day: { length: 24 * HOUR, step: "1h" }, week: { length: 7 * 24 * HOUR, step: "6h" } } as const;

/** Shows the activity of the realm: sign-ins, tokens, second factors and changes. */
export function Plots() {
  const t = useText();
  const { api, realm } = useRealm();
  const [span, setSpan] = useState<keyof typeof SPANS>("day");
  const series = useQuery({
    queryKey: [realm, "metrics", span],
    queryFn: async ({ signal }) => {
      const { length, step } = SPANS[span];
      return (await api.get<Series>("/metrics", { query: { from: Date.now() - length, step }, signal })).data;
    },
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
  if (series.isLoadingError) return <Failure error={series.error} retry={() => series.refetch()} />;
  if (series.isPending) return <Rows count={3} />;
  const { points } = series.data;
  const times = points.map(({ at }) => at);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t("Activity")}
        </Title>
        <SegmentedControl
          size="xs"
          aria-label={t("Span of time")}
          data={[
            { value: "day", label: t("24 hours") },
            { value: "week", label: t("7 days") },
          ]}
          value={span}
          onChange={(next) => setSpan(next as keyof typeof SPANS)}
        />
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card withBorder>
          <Plot
            title={t("Sign-ins")}
            times={times}
            series={[
              { title: "Successful", color: "good", values: points.map(({ logins }) => logins.success) },
              { title: "Failed", color: "bad", values: points.map(({ logins }) => logins.failure) },
            ]}
          />
        </Card>
        <Card withBorder>
          <Plot
            title={t("Tokens issued")}
            times={times}
            series={[{ title: "Tokens", color: "main", values: points.map(({ tokens }) => tokens) }]}
          />
        </Card>
        <Card withBorder>
          <Plot
            title={t("Second factors")}
            times={times}
            series={[{ title: "Asked for", color: "main", values: points.map(({ mfaChallenges }) => mfaChallenges) }]}
          />
        </Card>
        <Card withBorder>
          <Plot
            title={t("Changes by administrators")}
            times={times}
            series={[
              { title: "Made", color: "good", values: points.map(({ adminWrites }) => adminWrites.success) },
              { title: "Refused", color: "bad", values: points.map(({ adminWrites }) => adminWrites.denied) },
            ]}
          />
        </Card>
      </SimpleGrid>
    </Stack>
  );
}
