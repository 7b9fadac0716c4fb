import type { components } from "@gatehouse/api";
import { Badge, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/index.ts";
import type { TabProps } from "../kit/resource.ts";
import type { Step } from "./flows.editor.tsx";

type Flow = components["schemas"]["Flow"];
type Authenticator = components["schemas"]["Authenticator"];

const COLORS: Readonly<Record<string, string>> = { REQUIRED: "brand", ALTERNATIVE: "teal", CONDITIONAL: "orange", DISABLED: "gray" };

/** Shows the flow as a picture: steps in order, alternatives side by side. It is changed under Steps. */
export function FlowDiagram({ item, session }: TabProps<Flow>) {
  const t = useText();
  const { api, realm } = session;
  const authenticators = useQuery({
    queryKey: [realm, "authenticators"],
    queryFn: async () => (await api.list<Authenticator>("/authenticators")).items,
  });
  return (
    <Stack maw={960}>
      <Text size="sm" c="dimmed">
        {t("Steps run from top to bottom. Among alternatives, side by side, one is enough.")}
      </Text>
      <Steps steps={item.steps as Step[]} authenticators={authenticators.data ?? []} />
    </Stack>
  );
}

function Steps({ steps, authenticators, path = "" }: { steps: readonly Step[]; authenticators: readonly Authenticator[]; path?: string }) {
  const t = useText();
  const chosen = steps.every(({ requirement }) => requirement === "ALTERNATIVE" || requirement === "DISABLED") && steps.length > 1;
  return (
    <ol className={`diagram ${chosen ? "side-by-side" : "in-order"}`}>
      {steps.map((step) => {
        const place = steps.indexOf(step);
        const known = authenticators.find(({ name }) => name === step.authenticator);
        const name = step.alias ?? (known && t(known.displayName)) ?? step.authenticator ?? "";
        const off = step.requirement === "DISABLED";
        return (
          <li key={`${path}.${place}`}>
            <div className={`diagram-step${step.steps ? " diagram-group" : ""}${off ? " diagram-off" : ""}`}>
              <Group gap="xs" pb={step.steps ? "xs" : 0}>
                <Text fw={600} size="sm">
                  {name}
                </Text>
                <Badge size="sm" variant="light" color={COLORS[step.requirement] ?? "gray"}>
                  {t(step.requirement)}
                </Badge>
              </Group>
              {step.steps && <Steps steps={step.steps} authenticators={authenticators} path={`${path}.${place}`} />}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
